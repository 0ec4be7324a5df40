%% A VM that does nothing unless asked: its life and death, and its `eval`, are the test.
%%
%% burn MS: spend MS milliseconds of CPU time, however long that takes, and answer | exec COMMAND ...: replace the whole VM by
%% another program in the same operating system process (needs exec_nif.so)
-module(idle).
-export([start/1, handle/2, burn_until/1, burn/2, execute/1]).

start([]) -> none;
start([Folder]) ->
    ok = erlang:load_nif(filename:join(Folder, "exec_nif"), 0),
    none.

handle(["burn", Ms], State) ->
    burn_until(cpu_ms() + list_to_integer(Ms)),
    {ok, State};
handle(["exec" | Command], State) -> {execute(Command), State}.

burn_until(End) ->
    burn(1000000, 1),
    case cpu_ms() < End of
        true -> burn_until(End);
        false -> ok
    end.

burn(0, X) -> X;
burn(N, X) -> burn(N - 1, (X * 69069 + 12345) band 16#7fffffff).

cpu_ms() -> element(1, erlang:statistics(runtime)).

execute(_Command) -> erlang:nif_error(not_loaded).
