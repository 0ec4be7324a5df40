%% A VM that wastes memory in a way of one's choice.
%%
%% binaries MIB BYTES KEPT OF: so many MiB of binaries of that size; then all are gone but the first KEPT of every
%% OF | heaps MIB WORDS KEPT OF: the same with processes, whose heaps have about so many words | collect: the
%% processes that are left collect | hoard NAME MIB: a process of that name with a heap of about so many MiB |
%% parts MIB: a process keeps many binaries and has a small heap | malloc MIB: a NIF takes so much from malloc
%% (needs malloc_nif.so in the folder it is started with). Everything else as memory.erl.
-module(wasteful).
-export([start/1, handle/2, holder/1, malloc/1]).

start([Folder]) ->
    _ = erlang:load_nif(filename:join(Folder, "malloc_nif"), 0),
    memory:start([]);
start([]) -> memory:start([]).

handle(["binaries" | Numbers], State) ->
    [MiB, Bytes, Kept, Of] = [list_to_integer(N) || N <- Numbers],
    Count = (MiB bsl 20) div Bytes,
    {ok, held(hold(fun() -> some(Kept, Of, [binary:copy(<<"x">>, Bytes) || _ <- lists:seq(1, Count)]) end), State)};
handle(["heaps" | Numbers], State) ->
    [MiB, Words, Kept, Of] = [list_to_integer(N) || N <- Numbers],
    Pids = [spawn(?MODULE, holder, [Words]) || _ <- lists:seq(1, (MiB bsl 20) div (8 * Words))],
    [receive {ready, Pid} -> ok end || Pid <- [begin Pid ! {grow, self()}, Pid end || Pid <- Pids]],
    Left = some(Kept, Of, Pids),
    [end_process(Pid) || Pid <- Pids -- Left],
    {ok, lists:foldl(fun held/2, State, Left)};
handle(["collect"], #{held := Pids} = State) ->
    [erlang:garbage_collect(Pid) || Pid <- Pids],
    {ok, State};
handle(["hoard", Name, MiB], State) ->
    %% A cell of a list has two words.
    Pid = hold(fun() -> lists:seq(1, list_to_integer(MiB) bsl 16) end),
    register(list_to_atom(Name), Pid),
    {ok, held(Pid, State)};
handle(["parts", MiB], State) ->
    {ok, held(hold(fun() -> [binary:copy(<<"x">>, 1 bsl 20) || _ <- lists:seq(1, list_to_integer(MiB))] end), State)};
handle(["malloc", MiB], State) -> {malloc(list_to_integer(MiB)), State};
handle(Request, State) -> memory:handle(Request, State).

held(Pid, #{held := Pids} = State) -> State#{held := [Pid | Pids]}.

hold(Make) ->
    Self = self(),
    Pid = spawn(fun() -> Kept = Make(), erlang:garbage_collect(), Self ! {ready, self()},
                         receive stop -> Kept end end),
    receive {ready, Pid} -> Pid end.

%% Its heap has that size from the first collection on, so all blocks of a test are equal. Most of it is in use:
%% pages that were never written to are not resident.
holder(Words) ->
    receive {grow, From} ->
        process_flag(min_heap_size, Words),
        Kept = lists:seq(1, Words * 2 div 5),
        erlang:garbage_collect(),
        From ! {ready, self()},
        receive stop -> Kept end
    end.

end_process(Pid) ->
    Ref = monitor(process, Pid),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, _} -> ok end.

some(Kept, Of, List) -> some(Kept, Of, List, 0).
some(_, _, [], _) -> [];
some(Kept, Of, [One | Rest], N) when N rem Of < Kept -> [One | some(Kept, Of, Rest, N + 1)];
some(Kept, Of, [_ | Rest], N) -> some(Kept, Of, Rest, N + 1).

malloc(_) -> erlang:nif_error(not_loaded).
