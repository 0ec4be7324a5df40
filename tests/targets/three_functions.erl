%% Work with a known split: each worker runs f1, f2 and f3 in turn, for phases of 50 to 300 ms, and
%% adds up what timer:tc says of each. The loops are pure small-integer arithmetic: no garbage, no
%% BIF, so a sample taken in one belongs to that function and to nothing else.
%%
%% run | pause (answers when every worker rests: the totals are then complete) | timing
-module(three_functions).
-export([start/1, handle/2]).
-export([f1/2, f2/2, f3/2]).

start([Copies]) ->
    Loops = loops_per_ms(),
    Totals = counters:new(3, []),
    Workers = [spawn_link(fun() -> rest(Totals, Loops) end)
               || _ <- lists:seq(1, list_to_integer(Copies))],
    {Workers, Totals}.

handle(["run"], {Workers, _} = State) ->
    [W ! run || W <- Workers],
    {ok, State};
handle(["pause"], {Workers, _} = State) ->
    [W ! {pause, self()} || W <- Workers],
    [receive {rests, W} -> ok end || W <- Workers],
    {ok, State};
handle(["timing"], {_, Totals} = State) ->
    {#{'f1/2' => counters:get(Totals, 1),
       'f2/2' => counters:get(Totals, 2),
       'f3/2' => counters:get(Totals, 3)}, State}.

rest(Totals, Loops) ->
    receive run -> work(Totals, Loops) end.

work(Totals, Loops) ->
    phase(Totals, 1, fun ?MODULE:f1/2, Loops * (50 + rand:uniform(30))),
    phase(Totals, 2, fun ?MODULE:f2/2, Loops * (100 + rand:uniform(50))),
    phase(Totals, 3, fun ?MODULE:f3/2, Loops * (200 + rand:uniform(100))),
    receive
        {pause, From} -> From ! {rests, self()}, rest(Totals, Loops)
    after 0 -> work(Totals, Loops)
    end.

phase(Totals, Index, Function, N) ->
    {Microseconds, _} = timer:tc(Function, [N, 1]),
    counters:add(Totals, Index, Microseconds).

f1(0, X) -> X;
f1(N, X) -> f1(N - 1, (X * 69069 + 12345) band 16#7fffffff).

f2(0, X) -> X;
f2(N, X) -> f2(N - 1, (X * 48271 + 54321) band 16#7fffffff).

f3(0, X) -> X;
f3(N, X) -> f3(N - 1, (X * 16807 + 33333) band 16#7fffffff).

%% By CPU time: on a busy machine the clock would make the phases too short.
loops_per_ms() ->
    {Before, _} = erlang:statistics(runtime),
    f1(100000000, 1),
    {After, _} = erlang:statistics(runtime),
    100000000 div max(1, After - Before).
