%% A VM whose memory grows in functions of known names.
%%
%% binaries COUNT BYTES | heaps COUNT WORDS: that many more, held; answers the bytes asked for
%% lists COUNT: builds and drops a list that long | turns COUNT: as many carriers made and dropped; answers
%% microseconds | account: bytes of carriers by allocator
-module(grower).
-export([start/1, handle/2, grow_binaries/2, grow_heaps/2, build_list/1]).

start(_) -> [].

handle(["binaries", Count, Bytes], Held) ->
    More = in_worker(fun() -> grow_binaries(list_to_integer(Count), list_to_integer(Bytes)) end),
    {list_to_integer(Count) * list_to_integer(Bytes), [More | Held]};
handle(["heaps", Count, Words], Held) ->
    More = in_worker(fun() -> grow_heaps(list_to_integer(Count), list_to_integer(Words)) end),
    {list_to_integer(Count) * list_to_integer(Words) * 8, [More | Held]};
handle(["lists", Count], Held) ->
    in_worker(fun() -> length(build_list(list_to_integer(Count))) end),
    {ok, Held};
handle(["turns", Count], Held) ->
    Self = self(),
    spawn(fun() -> Self ! {took, element(1, timer:tc(fun() -> turn(list_to_integer(Count)) end))} end),
    {receive {took, Microseconds} -> Microseconds end, Held};
handle(["account"], Held) ->
    {maps:map(fun(_, Instances) ->
                      lists:sum([lists:nth(2, maps:get(Kind, I)) || I <- Instances, Kind <- [mbcs, sbcs, mbcs_pool]])
              end, memory:allocators()), Held}.

%% A process that has done it, and holds what came of it.
in_worker(Grow) ->
    Self = self(),
    Pid = spawn(fun() -> Held = Grow(), Self ! {done, self()}, receive stop -> Held end end),
    receive {done, Pid} -> Pid end.

grow_binaries(0, _) -> [];
grow_binaries(Count, Bytes) -> [binary:copy(<<0>>, Bytes) | grow_binaries(Count - 1, Bytes)].

grow_heaps(0, _) -> [];
grow_heaps(Count, Words) ->
    Pid = spawn_opt(fun() -> receive stop -> ok end end, [{min_heap_size, Words}]),
    [Pid | grow_heaps(Count - 1, Words)].

%% Larger than the threshold of single-block carriers; unused at once.
turn(0) -> ok;
turn(Count) -> binary:copy(<<0>>, 600000), erlang:garbage_collect(), turn(Count - 1).

build_list(0) -> [];
build_list(Count) -> [{Count, Count} | build_list(Count - 1)].
