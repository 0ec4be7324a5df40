%% A VM that never stands still, in one way or several at a time.
%%
%% on waves COUNT: COUNT processes at once, all end, and again
%% on spawns RATE: so many short processes in each second, one after the other
%% on loads EVERY_MS: a module loaded anew each so many milliseconds, the one before it purged
%% on collections: processes collect heaps that grow and shrink
%% on crowd COUNT: COUNT processes that wait; answers when all are there
%% made: how many processes or modules this has made so far
%% counts: the least and the most processes that the VM itself saw since this was last asked
-module(motion).
-export([start/1, handle/2, waves/2, spawns/3, loads/3, collections/1, crowd/3, wait/0]).

-define(SLICE_MS, 10).
-define(MODULES, 20).

start([]) ->
    Watcher = spawn_opt(fun() -> watch(none) end, [link, {priority, max}]),
    {counters:new(1, []), Watcher}.

handle(["on", Kind | Arguments], {Made, _} = State) ->
    ok = begin_motion(Kind, Made, [list_to_integer(A) || A <- Arguments]),
    {ok, State};
handle(["made"], {Made, _} = State) -> {counters:get(Made, 1), State};
handle(["counts"], {_, Watcher} = State) ->
    Watcher ! {tell, self()},
    receive {counts, Counts} -> {Counts, State} end.

watch(Seen) ->
    Now = erlang:system_info(process_count),
    Next = case Seen of
               none -> [Now, Now];
               [Least, Most] -> [min(Least, Now), max(Most, Now)]
           end,
    receive {tell, From} -> From ! {counts, Next}, watch(none)
    after 1 -> watch(Next)
    end.

begin_motion("waves", Made, [Count]) -> spawned(waves, [Made, Count]);
begin_motion("spawns", Made, [Rate]) ->
    Schedulers = erlang:system_info(schedulers_online),
    Now = erlang:monotonic_time(millisecond),
    [ok = spawned(spawns, [Made, Rate div Schedulers, Now]) || _ <- lists:seq(1, Schedulers)],
    ok;
begin_motion("loads", Made, [EveryMs]) ->
    spawned(loads, [Made, EveryMs, [module_named(K) || K <- lists:seq(1, ?MODULES)]]);
begin_motion("collections", _, []) ->
    [ok = spawned(collections, [K]) || K <- lists:seq(1, 20)],
    ok;
begin_motion("crowd", Made, [Count]) ->
    ok = spawned(crowd, [Made, Count, self()]),
    receive crowded -> ok end.

spawned(Function, Arguments) ->
    spawn_link(?MODULE, Function, Arguments),
    ok.

waves(Made, Count) ->
    All = [spawn_monitor(?MODULE, wait, []) || _ <- lists:seq(1, Count)],
    [Pid ! stop || {Pid, _} <- All],
    [receive {'DOWN', Monitor, process, _, _} -> ok end || {_, Monitor} <- All],
    counters:add(Made, 1, Count),
    waves(Made, Count).

%% What is due by now, then a short rest; who cannot keep up does not rest.
spawns(Made, Rate, Next) ->
    Count = Rate * ?SLICE_MS div 1000,
    [spawn(erlang, self, []) || _ <- lists:seq(1, Count)],
    counters:add(Made, 1, Count),
    timer:sleep(max(0, Next - erlang:monotonic_time(millisecond))),
    spawns(Made, Rate, max(Next, erlang:monotonic_time(millisecond) - 1000) + ?SLICE_MS).

loads(Made, EveryMs, [{Module, Code} | Others]) ->
    timer:sleep(EveryMs),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "", Code),
    %% Every third is taken out again, so that the list of code shrinks as well.
    counters:get(Made, 1) rem 3 =:= 0 andalso begin code:delete(Module), code:purge(Module) end,
    counters:add(Made, 1, 1),
    loads(Made, EveryMs, Others ++ [{Module, Code}]).

module_named(K) ->
    Module = list_to_atom("moving_" ++ integer_to_list(K)),
    Functions = [{function, 1, list_to_atom("f" ++ integer_to_list(F)), 1,
                  [{clause, 1, [{var, 1, 'X'}], [], [{op, 1, '+', {var, 1, 'X'}, {integer, 1, F}}]}]}
                 || F <- lists:seq(1, 20 * K)],
    {ok, Module, Code} = compile:forms([{attribute, 1, module, Module},
                                        {attribute, 1, compile, [export_all, nowarn_export_all]} | Functions]),
    {Module, Code}.

collections(K) ->
    Grown = lists:seq(1, 2000 * K),
    erlang:garbage_collect(),
    true = length(Grown) > K,
    erlang:garbage_collect(),
    collections(K).

crowd(Made, Count, From) ->
    [spawn_link(?MODULE, wait, []) || _ <- lists:seq(1, Count)],
    counters:add(Made, 1, Count),
    From ! crowded,
    wait().

wait() -> receive stop -> ok end.
