%% Processes that never take their messages out.
%%
%% fill NAME DATA KIND N WORDS: a process of that name whose message_queue_data is DATA gets N messages of about so
%% many words (KIND: list, binary) | total NAME: its total_heap_size in bytes, and message_queue_len
-module(mailboxes).
-export([start/1, handle/2]).

start([]) -> none.

handle(["fill", Name, Data, Kind, N, Words], State) ->
    Options = [{message_queue_data, list_to_atom(Data)}],
    Pid = spawn_opt(fun() -> receive stop -> ok end end, Options),
    register(list_to_atom(Name), Pid),
    Message = message(Kind, list_to_integer(Words)),
    [Pid ! Message || _ <- lists:seq(1, list_to_integer(N))],
    {total(Pid), State};
handle(["total", Name], State) ->
    {total(whereis(list_to_atom(Name))), State}.

total(Pid) ->
    [{_, Words}, {_, Messages}] = process_info(Pid, [total_heap_size, message_queue_len]),
    [Words * erlang:system_info(wordsize), Messages].

message("list", Words) -> lists:seq(1, Words div 2);
message("binary", Words) -> [binary:copy(<<"x">>, 1000), binary:copy(<<"y">>, 40) | lists:seq(1, Words div 2)].
