%% One kind of work at a time, so that one state of the scheduler has to dominate; and what the VM's
%% own accounts (msacc, scheduler_wall_time) say of it.
%%
%% run KIND [COPIES] | stop | msacc | wall_time | hashing
-module(state_work).
-export([start/1, handle/2]).
-export([emulator/1, gc/1, gc_full/1, ets/1, binary/1, short_binary/1, bif/1, port/1, nif/1, long_nif/1, dirty_nif/1, dirty_io/1, short_dirty/1, timers/1, half/1,
         ticks/1, mixed/1]).

-define(LIVE, 200000).

start([]) ->
    %% Each answers for every scheduler from now on.
    erlang:system_flag(scheduler_wall_time, true),
    {ok, _} = application:ensure_all_started(crypto),
    [].

handle(["run", Kind], Workers) -> handle(["run", Kind, "1"], Workers);
handle(["run", Kind, Copies], Before) ->
    Function = list_to_atom(Kind),
    Self = self(),
    Workers = [spawn_opt(fun() -> Self ! {started, self()}, ?MODULE:Function(begin_with(Kind)) end, options(Kind))
               || _ <- lists:seq(1, list_to_integer(Copies))],
    [receive {started, Worker} -> ok end || {Worker, _} <- Workers],
    {ok, Workers ++ Before};
handle(["stop"], Workers) ->
    [begin exit(Worker, kill), receive {'DOWN', Monitor, _, _, _} -> ok end end || {Worker, Monitor} <- Workers],
    {ok, []};
handle(["msacc", "on"], State) ->
    erlang:system_flag(microstate_accounting, true),
    {ok, State};
handle(["msacc"], State) ->
    {lists:sort([#{type => T, id => Id, counters => C}
                 || #{type := T, id := Id, counters := C} <- erlang:statistics(microstate_accounting)]), State};
handle(["wall_time"], State) ->
    {lists:sort(erlang:statistics(scheduler_wall_time_all)), State};
handle(["held"], State) ->
    {persistent_term:get(held, false), State};
handle(["hashing"], State) ->
    {[persistent_term:get(hashing, 0), persistent_term:get(counting, 0)], State}.

%% OTP 23 takes it for no process that runs already.
options("gc_full") -> [monitor, {fullsweep_after, 0}];
options(_) -> [monitor].

begin_with("gc") -> lists:seq(1, ?LIVE);
begin_with("gc_full") -> lists:seq(1, ?LIVE);
begin_with("ets") -> ets:new(work, [set]);
begin_with("port") -> none;
begin_with("bif") -> binary:copy(<<"abcdefgh">>, 1000);
begin_with("binary") -> binary:copy(<<"abcdefgh">>, 100000);
begin_with("short_binary") -> binary:copy(<<"abcdefgh">>, 200);
begin_with("nif") -> binary:copy(<<"x">>, 20000);
begin_with("mixed") -> {none, lists:seq(1, 1000), 0};
begin_with(_) -> 1.

emulator(X) -> emulator((X * 69069 + 12345) band 16#7fffffff).

%% Much lives, all of it young or old, and much is thrown away.
gc(Live) ->
    _ = garbage(2000, []),
    gc(Live).

gc_full(Live) -> gc(Live).

garbage(0, List) -> List;
garbage(N, List) -> garbage(N - 1, [{N} | List]).

ets(Table) ->
    [ets:insert(Table, {Key, Key, Key}) || Key <- lists:seq(1, 1000)],
    [ets:lookup(Table, Key) || Key <- lists:seq(1, 1000)],
    ets(Table).

binary(Binary) ->
    _ = binary:matches(Binary, <<"hab">>),
    binary(Binary).

%% So short that it is done in one go, and seldom found.
short_binary(Binary) ->
    _ = binary:matches(Binary, <<"hab", 0>>),
    short_binary(Binary).

bif(X) ->
    _ = erlang:phash2(X),
    _ = erlang:crc32(X),
    bif(X).

port(none) ->
    process_flag(trap_exit, true),
    Port = open_port({spawn_executable, "/bin/cat"}, [binary, stream]),
    port(Port, binary:copy(<<"x">>, 512)).
port(Port, Data) ->
    true = port_command(Port, Data),
    receive {Port, {data, _}} -> ok end,
    port(Port, Data).

%% Part of the time hashing, part of it counting, as the CPU time of the VM tells: the clock also runs while others
%% have the CPU. A slow hash of as much as one call of
%% the NIF takes: what Erlang does around it is little beside.
nif(Data) -> nif(Data, 0, 0).
nif(Data, Hashing, Counting) ->
    H = cpu_time(fun() -> hash(Data, 500) end),
    C = cpu_time(fun() -> count(10000000) end),
    persistent_term:put(hashing, Hashing + H),
    persistent_term:put(counting, Counting + C),
    nif(Data, Hashing + H, Counting + C).

%% In ms; nothing else runs in this VM.
cpu_time(Function) ->
    {Before, _} = erlang:statistics(runtime),
    Function(),
    {After, _} = erlang:statistics(runtime),
    After - Before.

hash(_, 0) -> ok;
hash(Data, N) -> crypto:hash(sha3_512, Data), hash(Data, N - 1).

count(0) -> ok;
count(N) -> count(N - 1).

%% A few calls, each of which keeps its scheduler for long; how long, timer:tc tells.
long_nif(_) ->
    Modulus = (1 bsl 8192) - 1,
    Held = [element(1, timer:tc(fun() -> crypto:mod_pow(3, Modulus - N, Modulus) end)) || N <- lists:seq(1, 8)],
    persistent_term:put(held, Held),
    receive never -> ok end.

dirty_nif(X) ->
    _ = crypto:generate_key(rsa, {2048, 65537}),
    dirty_nif(X).

%% Hands a little work to a dirty scheduler again and again: so short that a normal scheduler spins
%% until it is back, and has nothing to do.
short_dirty(1) -> short_dirty(binary:copy(<<"x">>, 1048576));
short_dirty(Data) ->
    _ = crypto:mac(hmac, sha256, <<"key">>, Data),
    short_dirty(Data).

%% Reads, which is done on a dirty I/O scheduler.
dirty_io(1) ->
    {ok, File} = file:open("/dev/zero", [read, raw, binary]),
    dirty_io(File);
dirty_io(File) ->
    {ok, _} = file:read(File, 1 bsl 26),
    dirty_io(File).

%% Timers that nobody waits for: once started, they only run out, over some seconds. However long this machine takes
%% to start them, the first one runs out when all have been started: it is asked with a few of them.
timers(X) ->
    {Microseconds, _} = timer:tc(fun() -> start_timers(erlang:monotonic_time(millisecond) + 600000, 20000) end),
    Begin = erlang:monotonic_time(millisecond) + 1000 + 100 * Microseconds div 1000,
    start_timers(Begin, 1000000),
    receive after max(0, Begin - erlang:monotonic_time(millisecond)) -> ok end,
    persistent_term:put(timers_run_out, true),
    receive never -> X end.

start_timers(_, 0) -> ok;
start_timers(Begin, N) ->
    erlang:start_timer(Begin + N rem 5000, nobody_has_this_name, tick, [{abs, true}]),
    start_timers(Begin, N - 1).

%% Works for some 5 ms and rests as long.
half(X) ->
    count(3000000),
    receive after 5 -> ok end,
    half(X).

%% Nearly nothing to do, but often.
ticks(X) ->
    receive after 1 -> ok end,
    ticks(X).

%% A bit of everything that msacc tells apart.
mixed({none, Live, N}) ->
    mixed({open_port({spawn_executable, "/bin/cat"}, [binary, stream]), Live, N});
mixed({Port, Live, N}) ->
    count(200000),
    _ = [length(garbage(500, [])) || _ <- lists:seq(1, 100)],
    _ = lists:reverse(Live),
    true = port_command(Port, <<"some data">>),
    receive {Port, {data, _}} -> ok end,
    receive after N rem 3 -> ok end,
    mixed({Port, Live, N + 1}).
