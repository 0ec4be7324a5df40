%% Work of a fixed amount, and what it took: how much an onlooker costs.
%%
%% spin N: N rounds of one function, in one process. swap N: two processes on two schedulers, of which
%% each waits for the other's message: with +S 2 and no busy wait on one CPU, a context switch each.
%% Both reply with nanoseconds and the context switches of the machine meanwhile.
-module(fixed_work).
-export([start/1, handle/2]).
-export([turn/2]).

start([]) -> none.

handle(["spin", N], State) ->
    {measured(fun() -> turn(list_to_integer(N), 1) end), State};
handle(["swap", N], State) ->
    Rounds = list_to_integer(N),
    {measured(fun() ->
        Echo = spawn_opt(fun echo/0, [link, {scheduler, 2}]),
        {_, Monitor} = spawn_opt(fun() -> ask(Echo, Rounds) end, [monitor, {scheduler, 1}]),
        receive {'DOWN', Monitor, process, _, normal} -> ok end
    end), State}.

measured(Work) ->
    Switches = switches(),
    Began = erlang:monotonic_time(nanosecond),
    Work(),
    #{ns => erlang:monotonic_time(nanosecond) - Began, switches => switches() - Switches}.

switches() ->
    {ok, Stat} = file:read_file("/proc/stat"),
    {match, [Count]} = re:run(Stat, "ctxt ([0-9]+)", [{capture, all_but_first, list}]),
    list_to_integer(Count).

turn(0, X) -> X;
turn(N, X) -> turn(N - 1, (X * 69069 + 12345) band 16#7fffffff).

ask(Echo, 0) -> Echo ! stop;
ask(Echo, N) ->
    Echo ! self(),
    receive pong -> ask(Echo, N - 1) end.

echo() ->
    receive
        stop -> ok;
        From -> From ! pong, echo()
    end.
