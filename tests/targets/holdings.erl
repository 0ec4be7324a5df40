%% Processes that hold things outside their heaps: links, monitors, dictionaries, messages, binaries.
%%
%% make N: N processes of each kind below; returns the ids of these processes
%% churn N | still: N processes link, monitor, keep binaries and drop all of it, as fast as they can | they end
-module(holdings).
-export([start/1, handle/2, loop/1]).

start([]) -> none.

handle(["make", Text], State) ->
    N = list_to_integer(Text),
    Shared = [binary:copy(<<"shared">>, 1000 + K) || K <- lists:seq(1, 5)],
    Made = [make(Kind, K, Shared) || K <- lists:seq(1, N), Kind <- kinds()],
    %% What is garbage now would be collected at some later time, and change the figures then.
    [garbage_collect(P) || P <- processes()],
    {[list_to_binary(pid_to_list(P)) || P <- Made], State};
handle(["churn", N], _) ->
    {ok, [spawn(fun() -> churn([]) end) || _ <- lists:seq(1, list_to_integer(N))]};
handle(["still"], Churning) ->
    Ends = [monitor(process, P) || P <- Churning],
    [exit(P, kill) || P <- Churning],
    [receive {'DOWN', End, _, _, _} -> ok end || End <- Ends],
    {ok, none}.

churn(Held) when length(Held) > 100 -> churn([]);
churn(Held) ->
    put({key, length(Held)}, Held),
    Pid = spawn_link(fun wait/0),
    Ref = monitor(process, Pid),
    self() ! binary:copy(<<"c">>, 500),
    receive Bin when is_binary(Bin) -> ok end,
    unlink(Pid),
    exit(Pid, kill),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    churn([Bin, binary:copy(<<"c">>, 100) | Held]).

kinds() ->
    [dictionary, links, monitors, names, aliases, many_monitors, on_heap, off_heap, suspended, binaries, shared,
     sub_binaries, writable, received].

make(Kind, K, Shared) ->
    Options = case Kind of
                  on_heap -> [{message_queue_data, on_heap}];
                  off_heap -> [{message_queue_data, off_heap}];
                  _ -> []
              end,
    Self = self(),
    Pid = spawn_opt(fun() -> init(Kind, K, Shared, Self) end, Options),
    receive {Pid, ready} -> ok end,
    fill(Kind, Pid, K),
    Pid.

fill(Kind, Pid, K) when Kind =:= on_heap; Kind =:= off_heap ->
    [Pid ! {message, lists:seq(1, K), binary:copy(<<"m">>, 100)} || _ <- lists:seq(1, 10 * K)];
fill(suspended, Pid, _) -> erlang:suspend_process(Pid);
fill(received, Pid, K) -> Pid ! {keep, [binary:copy(<<"r">>, 100 + X) || X <- lists:seq(1, K)]};
fill(_, _, _) -> ok.

init(Kind, K, Shared, Maker) ->
    Held = hold(Kind, K, Shared),
    Maker ! {self(), ready},
    loop(Held).

%% Keeps what it holds on its stack, and takes only one kind of message out of its queue.
loop(Held) ->
    receive
        {keep, More} -> loop([More | Held]);
        {stop, Pid} -> Pid ! Held
    end.

hold(dictionary, K, _) -> [put({key, X}, X) || X <- lists:seq(1, 20 * K)], [];
hold(links, K, _) -> [spawn_link(fun wait/0) || _ <- lists:seq(1, K)], [];
hold(monitors, K, _) -> [spawn_monitor(fun wait/0) || _ <- lists:seq(1, K)];
hold(names, K, _) -> [monitor(process, kernel_sup) || _ <- lists:seq(1, K)];
%% erlang: OTP 23 compiles this file too, and has no aliases.
hold(aliases, K, _) -> [erlang:alias() || _ <- lists:seq(1, K)];
%% The target of many: a list without an order, on the other side.
hold(many_monitors, K, _) ->
    Self = self(),
    [spawn(fun() -> monitor(process, Self), wait() end) || _ <- lists:seq(1, 3 * K)],
    [];
hold(binaries, K, _) -> [binary:copy(<<"b">>, 65 + X) || X <- lists:seq(1, K)];
hold(shared, _, Shared) -> Shared;
hold(sub_binaries, K, [First | _]) -> [binary:part(First, X, 100) || X <- lists:seq(1, K)];
hold(writable, K, _) -> lists:foldl(fun(X, Bin) -> <<Bin/binary, X:1024>> end, <<>>, lists:seq(1, K));
hold(_, _, _) -> [].

wait() -> receive stop -> ok end.
