%% A VM that gives its own account of its memory, and makes it change when told to.
%%
%% allocators: what system_info({allocator, _}) says, by allocator, instance and kind of carrier
%% carriers: what instrument:carriers/0 says | fragment ALLOCATOR MIB: allocates many blocks, frees all
%% but every tenth | release: frees the rest
%% label TEXT: a process with a heap of some MiB and this binary as its label | literal_label: the same
%% with a binary that is a constant of this module
%% spawn N: N idle processes | flood NAME N: a process of that name with N messages | vitals
-module(memory).
-export([start/1, handle/2, holder/0, allocators/0]).

start(_) -> #{held => []}.

handle(["allocators"], State) -> {allocators(), State};
handle(["carriers"], State) -> {carriers(), State};
handle(["fragment", "binary_alloc", MiB], State) ->
    %% 4 KiB binaries: refc binaries, small enough for multi-block carriers.
    Count = list_to_integer(MiB) * 256,
    Pid = hold(fun() -> every_tenth([binary:copy(<<N:32>>, 1024) || N <- lists:seq(1, Count)]) end),
    {ok, State#{held := [Pid | maps:get(held, State)]}};
handle(["fragment", "eheap_alloc", MiB], State) ->
    %% Processes of about 11 KiB of heap each.
    Count = list_to_integer(MiB) * 93,
    Pids = [spawn(?MODULE, holder, []) || _ <- lists:seq(1, Count)],
    [receive {ready, Pid} -> ok end || Pid <- [begin Pid ! {grow, self()}, Pid end || Pid <- Pids]],
    Kept = every_tenth(Pids),
    [end_process(Pid) || Pid <- Pids -- Kept],
    {ok, State#{held := Kept ++ maps:get(held, State)}};
handle(["release"], State) ->
    [end_process(Pid) || Pid <- maps:get(held, State)],
    erlang:garbage_collect(),
    {ok, State#{held := []}};
handle(["label", Text], State) -> {ok, labelled(list_to_binary(Text), State)};
handle(["literal_label"], State) -> {ok, labelled(<<"of the module">>, State)};
handle(["spawn", N], State) ->
    Pids = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, list_to_integer(N))],
    {length(Pids), State};
handle(["flood", Name, N], State) ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    register(list_to_atom(Name), Pid),
    [Pid ! K || K <- lists:seq(1, list_to_integer(N))],
    {element(2, process_info(Pid, message_queue_len)), State};
handle(["vitals"], State) -> {vitals(), State}.

%% The entry of the dictionary that proc_lib:set_label/1 of OTP 27 makes.
labelled(Label, State) ->
    Pid = hold(fun() -> put('$process_label', Label), lists:seq(1, 300000) end),
    State#{held := [Pid | maps:get(held, State)]}.

end_process(Pid) ->
    Ref = monitor(process, Pid),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, _} -> ok end.

hold(Make) ->
    Self = self(),
    Pid = spawn(fun() -> Kept = Make(), erlang:garbage_collect(), Self ! {ready, self()},
                         receive stop -> Kept end end),
    receive {ready, Pid} -> Pid end.

holder() ->
    receive {grow, From} ->
        Kept = lists:seq(1, 500),
        From ! {ready, self()},
        receive stop -> Kept end
    end.

every_tenth(List) -> every_tenth(List, 1).
every_tenth([], _) -> [];
every_tenth([Item | Rest], N) when N rem 10 =:= 0 -> [Item | every_tenth(Rest, N + 1)];
every_tenth([_ | Rest], N) -> every_tenth(Rest, N + 1).

%% #{Allocator => [#{instance, mbcs => [Carriers, CarrierBytes, Blocks, BlockBytes], sbcs, mbcs_pool}]}
allocators() ->
    maps:from_list(
      [{Alloc, [instance(I, Info) || {instance, I, Info} <- Instances]}
       || Alloc <- erlang:system_info(alloc_util_allocators),
          Instances <- [erlang:system_info({allocator, Alloc})], is_list(Instances)]).

instance(I, Info) ->
    #{instance => I, calls => calls(Info),
      mbcs => kind(mbcs, Info), sbcs => kind(sbcs, Info), mbcs_pool => kind(mbcs_pool, Info)}.

calls(Info) -> lists:flatten([[element(2, C), element(3, C)] || C <- tl(proplists:get_value(calls, Info, [x])),
                              tuple_size(C) >= 3]).

kind(Kind, Info) ->
    case proplists:get_value(Kind, Info) of
        undefined -> [0, 0, 0, 0];
        Props ->
            Blocks = proplists:get_value(blocks, Props, []),
            [current(lists:keyfind(carriers, 1, Props)), current(lists:keyfind(carriers_size, 1, Props)),
             lists:sum([current(lists:keyfind(count, 1, B)) || {_, B} <- Blocks]),
             lists:sum([current(lists:keyfind(size, 1, B)) || {_, B} <- Blocks])]
    end.

current(false) -> 0;
current(Tuple) -> element(2, Tuple).

%% [[Allocator, InPool, Bytes, AllocatedBytes, [histogram of free blocks]]]
carriers() ->
    {ok, {Start, Carriers}} = instrument:carriers(#{histogram_start => 1, histogram_width => 32}),
    #{start => Start,
      carriers => [[Alloc, InPool, Size, lists:sum([Bytes || {_, _, Bytes} <- Allocations]), tuple_to_list(Free)]
                   || {Alloc, InPool, Size, _Unscanned, Allocations, Free} <- Carriers]}.

vitals() ->
    {{input, In}, {output, Out}} = erlang:statistics(io),
    {Collections, _, _} = erlang:statistics(garbage_collection),
    {Switches, _} = erlang:statistics(context_switches),
    {Reductions, _} = erlang:statistics(reductions),
    #{processes => erlang:system_info(process_count), processes_limit => erlang:system_info(process_limit),
      ports => erlang:system_info(port_count), ports_limit => erlang:system_info(port_limit),
      atoms => erlang:system_info(atom_count), atoms_limit => erlang:system_info(atom_limit),
      ets_tables => erlang:system_info(ets_count), ets_tables_limit => erlang:system_info(ets_limit),
      reductions => Reductions, context_switches => Switches, garbage_collections => Collections,
      input => In, output => Out,
      run_queues => erlang:statistics(run_queue_lengths_all)}.
