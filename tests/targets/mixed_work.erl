%% One process that does five kinds of work in turn, each under a function of its own, and adds up how
%% long each took: what a profiler has to find again.
%%
%% run | pause (answers when the worker rests) | timing (microseconds by kind, since the start)
-module(mixed_work).
-export([start/1, handle/2]).
-export([sorts/1, maps/1, copies/1, collects/1, calls_bifs/1]).

start(_) ->
    Self = self(),
    spawn_link(fun() -> register(mixed_worker, self()), Self ! registered, rest(#{}) end),
    receive registered -> mixed_worker end.

handle(["run"], Worker) ->
    Worker ! run,
    {ok, Worker};
handle(["pause"], Worker) ->
    Worker ! {pause, self()},
    receive {rests, Times} -> {Times, Worker} end.

rest(Times) ->
    receive run -> work(Times) end.

work(Times) ->
    Worked = lists:foldl(fun(Kind, Sums) -> phase(Kind, Sums) end, Times,
                         [sorts, maps, copies, collects, calls_bifs]),
    receive
        {pause, From} -> From ! {rests, Worked}, rest(Worked)
    after 0 -> work(Worked)
    end.

phase(Kind, Times) ->
    {Microseconds, _} = timer:tc(?MODULE, Kind, [60]),
    maps:update_with(Kind, fun(Sum) -> Sum + Microseconds end, Microseconds, Times).

%% Each is no tail call: it stays on the stack under what it calls.
sorts(N) ->
    [hd(lists:sort(fun(A, B) -> A >= B end, lists:seq(1, 1000))) || _ <- lists:seq(1, N)].

maps(N) ->
    [maps:size(lists:foldl(fun(K, M) -> M#{K => K} end, #{}, lists:seq(1, 1500))) || _ <- lists:seq(1, N)].

copies(N) ->
    Table = ets:new(copies, []),
    true = ets:insert(Table, {key, [integer_to_list(K) || K <- lists:seq(1, 2000)]}),
    Found = [length(ets:lookup(Table, key)) || _ <- lists:seq(1, 10 * N)],
    true = ets:delete(Table),
    Found.

collects(N) ->
    Live = [integer_to_list(K) || K <- lists:seq(1, 2000)],
    [erlang:garbage_collect() || _ <- lists:seq(1, 4 * N)],
    length(Live).

calls_bifs(N) ->
    List = lists:seq(1, 1000),
    [lists:member(none, List) || _ <- lists:seq(1, 40 * N)].
