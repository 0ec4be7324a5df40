%% Work of which the kernel does a known part: a process reads megabytes of zeros, which the kernel makes.
%%
%% run | pause (answers when the process rests)
-module(reads_zeros).
-export([start/1, handle/2, read/1]).

start([]) ->
    spawn_link(fun() ->
        {ok, Zeros} = file:open("/dev/zero", [read, raw, binary]),
        rest(Zeros)
    end).

handle(["run"], Reader) ->
    Reader ! run,
    {ok, Reader};
handle(["pause"], Reader) ->
    Reader ! {pause, self()},
    receive rests -> ok end,
    {ok, Reader}.

rest(Zeros) ->
    receive run -> work(Zeros) end.

work(Zeros) ->
    ok = read(Zeros),
    receive
        {pause, From} -> From ! rests, rest(Zeros)
    after 0 -> work(Zeros)
    end.

read(Zeros) ->
    {ok, Bytes} = file:read(Zeros, 1 bsl 20),
    true = byte_size(Bytes) =:= 1 bsl 20,
    ok.
