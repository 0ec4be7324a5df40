%% Work that the VM does in the name of a process that does not ask for it: signals are handled for it, it is
%% collected on another's demand, its messages are moved to its heap, it begins and ends. The process that waits
%% meanwhile is registered as `waiting` and does so in idle/1; how often that was called the VM counts.
%%
%% run KIND | stop | calls
-module(other_hands).
-export([start/1, handle/2]).
-export([idle/1, busy/2, asks/2, sends/2, sink/0, waves/0, wave/1, short_life/1, lives/1]).

start(_) -> none.

handle(["run", Kind], none) ->
    Self = self(),
    Worker = spawn(fun() -> run(Kind, fun() -> Self ! started end) end),
    receive started -> ok end,
    erlang:trace_pattern({?MODULE, idle, 1}, true, [call_count]),
    {ok, Worker};
handle(["calls"], Worker) ->
    {call_count, Calls} = erlang:trace_info({?MODULE, idle, 1}, call_count),
    {Calls, Worker};
handle(["stop"], Worker) ->
    erlang:trace_pattern({?MODULE, idle, 1}, false, [call_count]),
    [begin
         Monitor = monitor(process, Pid),
         exit(Pid, kill),
         receive {'DOWN', Monitor, _, _, _} -> ok end
     end || Pid <- [Worker, whereis(waiting)], is_pid(Pid)],
    {ok, none}.

run("copy", Started) ->
    Sink = spawn_link(fun sink/0),
    Started(),
    sends(Sink, [#{number => N, text => integer_to_list(N)} || N <- lists:seq(1, 20000)]);
run("waves", Started) ->
    Started(),
    waves();
run(Kind, Started) ->
    Waiting = spawn(fun() -> waits(Kind) end),
    register(waiting, Waiting),
    [Waiting ! {N, lists:seq(1, 500)} || N <- lists:seq(1, messages(Kind))],
    %% Once it has answered it has seen all of them, and waits.
    Waiting ! {seen, self()},
    receive seen -> Started() end,
    asks(Kind, Waiting).

messages("messages") -> 500;
messages(_) -> 0.

%% Of how much it has, and whether it works.
waits("collect_large") -> idle([lists:seq(1, 3) || _ <- lists:seq(1, 100000)]);
waits("collect_busy") -> receive {seen, From} -> From ! seen end, busy(1, []);
waits("collect_busy_large") ->
    Live = [lists:seq(1, 3) || _ <- lists:seq(1, 100000)],
    receive {seen, From} -> From ! seen end,
    busy(1, Live);
waits(_) -> idle([]).

%% What it keeps has to stay alive.
idle(Live) ->
    receive
        {seen, From} -> From ! seen, idle(Live);
        length -> idle([length(Live)])
    end.

%% Makes no garbage.
busy(X, Live) -> busy((X * 69069 + 12345) band 16#7fffffff, Live).

asks("messages", Pid) -> process_info(Pid, messages), asks("messages", Pid);
asks("check_code", Pid) -> check_process_code(Pid, lists), asks("check_code", Pid);
asks("links", Pid) -> link(Pid), unlink(Pid), asks("links", Pid);
asks("monitors", Pid) -> demonitor(monitor(process, Pid), [flush]), asks("monitors", Pid);
asks("collect" ++ _ = Kind, Pid) -> garbage_collect(Pid), asks(Kind, Pid).

sends(Sink, Term) ->
    Sink ! {self(), Term},
    receive ok -> sends(Sink, Term) end.

sink() ->
    receive
        {From, _} -> From ! ok, sink()
    end.

waves() ->
    Wave = [spawn_monitor(?MODULE, short_life, [N]) || N <- lists:seq(1, 2000)],
    wave(Wave),
    waves().

wave(Wave) -> [receive {'DOWN', Monitor, _, _, _} -> ok end || {_, Monitor} <- Wave].

short_life(N) -> lives(N rem 50).

lives(0) -> ok;
lives(N) -> lives(N - 1).
