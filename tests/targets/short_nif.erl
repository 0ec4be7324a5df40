%% NIFs that keep a scheduler for a known time, and what they themselves say of it (short_nif.so is in
%% the folder that it is started with).
%%
%% hold MICROSECONDS REST TIMES: calls, so many ms apart | slices MICROSECONDS SLICES PERCENT TIMES: each
%% in slices of enif_schedule_nif. Both are answered when all is done, with [calls, us, longest] of those.
-module(short_nif).
-export([start/1, handle/2, hold/1, slices/3, account/0]).

start([Folder]) ->
    ok = erlang:load_nif(filename:join(Folder, "short_nif"), 0),
    none.

handle(["hold" | Numbers], State) ->
    [Microseconds, Rest, Times] = [list_to_integer(N) || N <- Numbers],
    Call = fun() -> hold(Microseconds), receive after Rest -> ok end end,
    {accounted(Call, Times), State};
handle(["slices" | Numbers], State) ->
    [Microseconds, Slices, Percent, Times] = [list_to_integer(N) || N <- Numbers],
    {accounted(fun() -> slices(Microseconds, Slices, Percent) end, Times), State}.

accounted(Call, Times) ->
    _ = account(),
    {Pid, Monitor} = spawn_monitor(fun() -> repeat(Call, Times) end),
    receive {'DOWN', Monitor, process, Pid, normal} -> account() end.

repeat(_, 0) -> ok;
repeat(Call, Times) -> Call(), repeat(Call, Times - 1).

hold(_) -> erlang:nif_error(not_loaded).
slices(_, _, _) -> erlang:nif_error(not_loaded).
account() -> erlang:nif_error(not_loaded).
