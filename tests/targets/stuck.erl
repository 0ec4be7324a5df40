%% A VM that can be stuck: hold MS keeps every normal scheduler in a NIF for so long, and is answered
%% before (needs hold_nif.so in the folder it is started with). Everything else as memory.erl.
-module(stuck).
-export([start/1, handle/2, hold/1]).

start([Folder]) ->
    ok = erlang:load_nif(filename:join(Folder, "hold_nif"), 0),
    memory:start([]).

handle(["hold", Milliseconds], State) ->
    Hold = fun() -> timer:sleep(200), hold(list_to_integer(Milliseconds)) end,
    [spawn_opt(Hold, [{scheduler, N}, {priority, high}]) || N <- lists:seq(1, erlang:system_info(schedulers))],
    {ok, State};
handle(Request, State) -> memory:handle(Request, State).

hold(_) -> erlang:nif_error(not_loaded).
