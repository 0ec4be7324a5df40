%% Work that stays on a known scheduler for ever (pinned_nif.so is in the folder that it is started with).
%%
%% start KIND SCHEDULER NAME: a process that is registered so will do this work on that scheduler (0: any); its
%% pid is answered. KIND: erlang (a loop), bif (lists:member/2 all the time), burn and wait (NIFs that spin and
%% sleep), dirty_burn and dirty_wait (such NIFs on dirty schedulers).
%% go: all of them begin. Do not wait for its answer, nor ask anything else: what answers may be in the queue of
%% a scheduler that is held.
%% label KIND SCHEDULER LABEL: as start, with a label instead of a name; OTP 25 has neither then.
%% tour: one process after the other spins for a while, each on the next scheduler.
-module(pinned).
-export([start/1, handle/2]).
-export([burn/0, wait/0, dirty_burn/0, dirty_wait/0, spin/1, search/1, outer/2, tour/2, stop_of_tour/2]).

start([Folder]) ->
    ok = erlang:load_nif(filename:join(Folder, "pinned_nif"), 0),
    [].

handle(["start", Kind, Scheduler, Name], Workers) ->
    worker(Kind, Scheduler, fun() -> register(list_to_atom(Name), self()) end, Workers);
handle(["label", Kind, Scheduler, Label], Workers) ->
    worker(Kind, Scheduler, fun() -> label(Label) end, Workers);
handle(["go"], Workers) ->
    {length([Worker ! go || Worker <- Workers]), []};
handle(["tour"], Workers) ->
    tour(1, erlang:system_info(schedulers_online)),
    {ok, Workers}.

worker(Kind, Scheduler, Introduce, Workers) ->
    Self = self(),
    On = [{scheduler, list_to_integer(Scheduler)} || Scheduler =/= "0"],
    Pid = spawn_opt(fun() ->
                            Introduce(),
                            Self ! {ready, self()},
                            receive go -> ok end,
                            outer(Kind, 1)
                    end, On),
    receive {ready, Pid} -> {list_to_binary(pid_to_list(Pid)), Workers ++ [Pid]} end.

label(Label) -> erlang:function_exported(proc_lib, set_label, 1) andalso proc_lib:set_label(Label).

%% A caller with a line of its own.
outer(Kind, N) ->
    work(Kind),
    N + 1.

work("erlang") -> spin(1);
work("bif") -> search(lists:seq(1, 100000));
work("burn") -> burn();
work("wait") -> wait();
work("dirty_burn") -> dirty_burn();
work("dirty_wait") -> dirty_wait().

spin(N) -> spin(-N).

search(List) ->
    lists:member(nothing, List),
    search(List).

tour(On, Schedulers) ->
    spawn_opt(?MODULE, stop_of_tour, [On, Schedulers], [{scheduler, On}]).

stop_of_tour(On, Schedulers) ->
    down(20000000),
    tour(On rem Schedulers + 1, Schedulers).

down(0) -> ok;
down(N) -> down(N - 1).

burn() -> erlang:nif_error(not_loaded).
wait() -> erlang:nif_error(not_loaded).
dirty_burn() -> erlang:nif_error(not_loaded).
dirty_wait() -> erlang:nif_error(not_loaded).
