%% A VM that allocates and frees all the time, and knows between which bounds.
%%
%% on | off: the least and greatest sums by allocator that the VM itself saw, and how many cycles
%%
%% Each cycle: churners work for a while, with little alive at any moment; all end, and everything
%% stands still until the witness has seen the floor; holders take several times what the churners
%% ever had, and stand still until the witness has seen the ceiling. So every true value in between
%% lies within what the witness saw, however seldom it looks. Answers `on` after the first cycle.
-module(hammer).
-export([start/1, handle/2, churn/1, hold/1]).

-define(HAMMERS, 4).
-define(CHURN_MS, 100).
-define(STILL, 3). % equal looks in a row

start(_) -> none.

handle(["on"], none) ->
    %% Its heap is large enough for a whole cycle and collected only at the times told below, always by
    %% the same instance of eheap_alloc: whoever adds up instances one after the other would miss or
    %% count twice what moves between them. At high priority: the hammers must not keep it from looking.
    Self = self(),
    Conductor = spawn_opt(fun() -> conduct(Self) end,
                          [link, {scheduler, 1}, {priority, high}, {min_heap_size, 1 bsl 20}, {fullsweep_after, 0}]),
    receive warm -> {ok, Conductor} end;
handle(["off"], Conductor) ->
    Conductor ! {tell, self()},
    receive {seen, Cycles, Seen} -> {#{cycles => Cycles, seen => Seen}, none} end.

conduct(From) ->
    Seen = cycle(#{}),
    From ! warm,
    conduct(1, Seen).

conduct(Cycles, Seen) ->
    receive {tell, From} -> From ! {seen, Cycles, cycle(Seen)}
    after 0 -> conduct(Cycles + 1, cycle(Seen))
    end.

cycle(Seen) ->
    end_all(start_all(churn), ?CHURN_MS),
    erlang:garbage_collect(),
    Floor = look_until_still(Seen),
    Holders = start_all(hold),
    %% A collection has two heaps for a moment: the ceiling is above what the holders had on their way up.
    Ballast = spawn_opt(fun() -> receive stop -> ok end end, [monitor, {min_heap_size, 4 bsl 20}]),
    Ceiling = look_until_still(Floor),
    end_all([Ballast | Holders], 0),
    Ceiling.

%% Each says when it has begun, or has all it is to hold.
start_all(Task) ->
    All = [spawn_monitor(?MODULE, Task, [self()]) || _ <- lists:seq(1, ?HAMMERS)],
    [receive {ready, Pid} -> ok end || {Pid, _} <- All],
    All.

end_all(All, AfterMs) ->
    timer:sleep(AfterMs),
    [Pid ! stop || {Pid, _} <- All],
    [receive {'DOWN', Monitor, process, _, normal} -> ok end || {_, Monitor} <- All].

look_until_still(Seen) -> look_until_still(Seen, none, 1).
look_until_still(Seen, _, ?STILL + 1) -> Seen;
look_until_still(Seen, Last, Equal) ->
    timer:sleep(10),
    Now = maps:map(fun(_, Instances) -> sums(Instances) end, memory:allocators()),
    Wider = maps:map(fun(Allocator, Sums) -> wider(Sums, maps:get(Allocator, Seen, Sums)) end, Now),
    %% What a look itself takes and drops never stands still.
    Heard = [maps:get(A, Now) || A <- [binary_alloc, ets_alloc, std_alloc, fix_alloc]],
    look_until_still(Wider, Heard, case Heard of Last -> Equal + 1; _ -> 1 end).

sums(Instances) ->
    Sum = fun(K) -> lists:sum([lists:nth(K, maps:get(Kind, I)) || I <- Instances, Kind <- [mbcs, sbcs, mbcs_pool]]) end,
    #{carriers_bytes => [Sum(2), Sum(2)], blocks_bytes => [Sum(4), Sum(4)]}.

wider(Sums, Seen) ->
    maps:map(fun(Name, [Low, High]) ->
                     [Least, Most] = maps:get(Name, Seen),
                     [min(Low, Least), max(High, Most)]
             end, Sums).

%% Binaries, heaps, tables, processes, messages and timers of changing sizes; one other process at a time.
churn(Conductor) ->
    Conductor ! {ready, self()},
    churn(ets:new(churn, []), erlang:unique_integer([positive]), queue:new()).

churn(Table, N, Kept) ->
    Next = (N * 1103515245 + 12345) band 16#7fffffff,
    Size = 64 + Next rem 30000,
    ets:insert(Table, {Next rem 300, lists:duplicate(Next rem 100, N)}),
    {Pid, Monitor} = spawn_monitor(fun() -> receive Bytes -> lists:sum(lists:seq(1, byte_size(Bytes))) end end),
    Pid ! binary:copy(<<1>>, Size),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    Longer = queue:in(binary:copy(<<0>>, Size), Kept),
    receive stop -> ok
    after 0 ->
        case queue:len(Longer) > 100 of
            true -> churn(Table, Next, queue:drop(Longer));
            false -> churn(Table, Next, Longer)
        end
    end.

%% Grows without leaving garbage: what has been there and is gone before the witness looks is no ceiling.
hold(Conductor) ->
    Table = ets:new(hold, []),
    [ets:insert(Table, {N, lists:duplicate(200, N)}) || N <- lists:seq(1, 1500)],
    Binaries = [binary:copy(<<0>>, 30000) || _ <- lists:seq(1, 700)],
    Pids = [spawn_opt(fun() -> receive stop -> ok end end, [monitor, {min_heap_size, 50000}])
            || _ <- lists:seq(1, 40)],
    Timers = [erlang:start_timer(1000000, self(), N) || N <- lists:seq(1, 200)],
    Conductor ! {ready, self()},
    receive stop -> ok end,
    [Pid ! stop || {Pid, _} <- Pids],
    [receive {'DOWN', Monitor, process, _, _} -> ok end || {_, Monitor} <- Pids],
    [erlang:cancel_timer(Timer) || Timer <- Timers],
    {Table, Binaries}.
