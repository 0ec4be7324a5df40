%% Who copies terms, and for whom: each kind of work copies a big term again and again in one function of
%% its own, so that whoever is blamed for copying can be told.
%%
%% run KIND | stop
-module(copying).
-export([start/1, handle/2]).
-export([send/1, spawns/1, child/2, insert/1, lookup/1, receives/2, collects/1]).

start(_) -> none.

handle(["run", Kind], none) ->
    Self = self(),
    Worker = spawn(fun() -> process_flag(trap_exit, false), Self ! {started, self()}, run(Kind) end),
    receive {started, Worker} -> ok end,
    {ok, Worker};
handle(["stop"], Worker) ->
    Monitor = monitor(process, Worker),
    exit(Worker, kill),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    {ok, none}.

run("send") ->
    %% The one who gets them drops them unseen: no copy is its doing.
    Receiver = spawn_link(fun() -> receives(0, 0) end),
    send({Receiver, big(), atomics:new(1, [])});
run("spawn") -> spawns(big());
run("insert") -> insert({ets:new(copies, [set]), {key, big()}});
run("lookup") ->
    Table = ets:new(copies, [set]),
    ets:insert(Table, {key, big()}),
    lookup(Table);
run("collect") -> collects(big()).

big() -> [{N, integer_to_list(N)} || N <- lists:seq(1, 2000)].

send({Receiver, Term, Received} = All) ->
    Count = atomics:get(Received, 1),
    Receiver ! {Received, Term},
    await(Received, Count + 1),
    send(All).

await(Received, Count) ->
    case atomics:get(Received, 1) of
        Count -> ok;
        _ -> erlang:yield(), await(Received, Count)
    end.

%% Answers by counting: a message would be a copy of its own, even that of one atom is measured.
receives(Count, Busy) ->
    receive
        {Received, _} ->
            Work = busy(2000, Busy),
            atomics:add(Received, 1, 1),
            receives(Count + 1, Work)
    end.

busy(0, X) -> X;
busy(N, X) -> busy(N - 1, (X * 69069 + N) band 16#7fffffff).

spawns(Term) ->
    %% A BIF, unlike spawn_monitor/3, which is Erlang and would be blamed itself.
    Child = spawn_link(?MODULE, child, [self(), Term]),
    receive Child -> ok end,
    spawns(Term).

child(Parent, _) -> Parent ! self().

insert({Table, Object} = Both) ->
    ets:insert(Table, Object),
    insert(Both).

lookup(Table) ->
    _ = ets:lookup(Table, key),
    lookup(Table).

%% Its garbage is its own: so is its collection.
collects(Live) ->
    _ = garbage(5000, []),
    collects(Live).

garbage(0, List) -> List;
garbage(N, List) -> garbage(N - 1, [{N} | List]).
