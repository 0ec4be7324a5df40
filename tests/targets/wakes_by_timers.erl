%% Work that begins when a timer fires and mostly ends before the kernel's next tick: what a sampler
%% would miss, or see nothing but, if it looked at the VM in step with its timers. Each worker counts
%% the rounds of its own function, all of which do the same: the counts are the shares of CPU time.
%%
%% after_1/2 and after_10/2 begin a time after they have ended; each_4/2 and each_8/2 at multiples of
%% 4 and 8 ms, which are the distance of two ticks on most machines and twice that.
%%
%% counts
-module(wakes_by_timers).
-export([start/1, handle/2]).
-export([after_1/2, after_10/2, each_4/2, each_8/2]).

-define(WORKERS, [{fun ?MODULE:after_1/2, {'after', 1}, 0.3}, {fun ?MODULE:after_10/2, {'after', 10}, 2},
                  {fun ?MODULE:each_4/2, {each, 4}, 0.5}, {fun ?MODULE:each_8/2, {each, 8}, 1.5}]).

start([]) ->
    Rounds = rounds_per_ms(),
    Counts = counters:new(length(?WORKERS), []),
    [spawn_link(fun() -> work(Counts, Index, Function, Pause, round(Rounds * Ms)) end)
     || {Index, {Function, Pause, Ms}} <- lists:enumerate(?WORKERS)],
    Counts.

handle(["counts"], Counts) ->
    {maps:from_list([{name(Function), counters:get(Counts, Index)}
                     || {Index, {Function, _, _}} <- lists:enumerate(?WORKERS)]), Counts}.

name(Function) ->
    {name, Name} = erlang:fun_info(Function, name),
    list_to_binary(atom_to_list(Name) ++ "/2").

work(Counts, Index, Function, Pause, Rounds) ->
    pause(Pause),
    Function(Rounds, 1),
    counters:add(Counts, Index, Rounds),
    work(Counts, Index, Function, Pause, Rounds).

pause({'after', Ms}) -> receive after Ms -> ok end;
pause({each, Ms}) ->
    Next = (erlang:monotonic_time(millisecond) div Ms + 1) * Ms,
    erlang:start_timer(Next, self(), next, [{abs, true}]),
    receive {timeout, _, next} -> ok end.

after_1(0, X) -> X;
after_1(N, X) -> after_1(N - 1, (X * 69069 + 12345) band 16#7fffffff).

after_10(0, X) -> X;
after_10(N, X) -> after_10(N - 1, (X * 69069 + 12345) band 16#7fffffff).

each_4(0, X) -> X;
each_4(N, X) -> each_4(N - 1, (X * 69069 + 12345) band 16#7fffffff).

each_8(0, X) -> X;
each_8(N, X) -> each_8(N - 1, (X * 69069 + 12345) band 16#7fffffff).

%% By CPU time: on a busy machine the clock would make the work too short.
rounds_per_ms() ->
    {Before, _} = erlang:statistics(runtime),
    after_1(5000000, 1),
    {After, _} = erlang:statistics(runtime),
    5000000 div max(1, After - Before).
