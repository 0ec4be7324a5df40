%% Processes that wait in known places: `spawn KIND N` starts N of them, which are there when it answers.
%% `truth` tells how many processes have which stack, as current_stacktrace tells it.
-module(waiting).
-export([start/1, handle/2]).
-export([in_receive/1, deep/2, in_call/1, spin/1]).

start(_) -> [].

handle(["spawn", Kind, N], Pids) ->
    Self = self(),
    New = [spawn(fun() -> Self ! started, wait(Kind) end) || _ <- lists:seq(1, list_to_integer(N))],
    [receive started -> ok end || _ <- New],
    [settle(Kind, Pid) || Pid <- New],
    {length(New), New ++ Pids};
handle(["truth"], Pids) ->
    Stacks = [begin
                  {current_stacktrace, Trace} = process_info(P, current_stacktrace),
                  iolist_to_binary(lists:join(";", [io_lib:format("~ts:~ts/~b", [M, F, A]) || {M, F, A, _} <- Trace]))
              end || P <- processes(), P =/= self()],
    {maps:fold(fun(Stack, N, All) -> [[Stack, N] | All] end, [],
               lists:foldl(fun(S, Counts) -> maps:update_with(S, fun(N) -> N + 1 end, 1, Counts) end, #{}, Stacks)), Pids}.

settle("spin", _) ->
    ok;
settle(Kind, Pid) ->
    case process_info(Pid, status) of
        {status, waiting} -> Kind =:= "suspended" andalso erlang:suspend_process(Pid);
        _ -> erlang:yield(), settle(Kind, Pid)
    end.

wait("receive") -> in_receive(1);
wait("suspended") -> in_receive(1);
wait("spin") -> spin(1);
wait("call") -> in_call(1);
wait("deep") -> deep(2000, 1);
wait("hibernate") -> erlang:hibernate(?MODULE, in_receive, [1]).

in_receive(N) ->
    receive stop -> N end,
    N + 1.

in_call(N) -> gen_server:call(init, never, infinity), N + 1.

%% No tail call: as many frames as N.
deep(0, X) -> in_receive(X) + 1;
deep(N, X) -> deep(N - 1, X) + 1.

%% Never waits: runs, or waits for a scheduler.
spin(N) -> spin(-N).
