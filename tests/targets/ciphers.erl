%% Work that libcrypto does in assembly, each on behalf of a function of its own.
%%
%% run | pause (answers when the process rests)
-module(ciphers).
-export([start/1, handle/2, pair/1, rsa/1, curve/1, point/1, digest/1, authenticated/1, stream/1]).

start([]) ->
    {ok, _} = application:ensure_all_started(crypto),
    {_, Private} = crypto:generate_key(rsa, {2048, 65537}),
    Given = {Private, binary:copy(<<"x">>, 16384)},
    spawn_link(fun() -> rest(Given) end).

handle(["run"], Worker) ->
    Worker ! run,
    {ok, Worker};
handle(["pause"], Worker) ->
    Worker ! {pause, self()},
    receive rests -> ok end,
    {ok, Worker}.

rest(Given) ->
    receive run -> work(Given) end.

work(Given) ->
    ok = pair(Given),
    [ok = ?MODULE:Kind(Given) || Kind <- [rsa, curve, point, digest, authenticated, stream], _ <- lists:seq(1, 20)],
    receive
        {pause, From} -> From ! rests, rest(Given)
    after 0 -> work(Given)
    end.

%% Both multiply on a stack that they align; this one on a dirty scheduler.
pair(_) ->
    _ = crypto:generate_key(rsa, {2048, 65537}),
    ok.

rsa({Private, Data}) ->
    _ = crypto:sign(rsa, sha256, Data, Private),
    ok.

curve(_) ->
    _ = crypto:generate_key(ecdh, x25519),
    ok.

point(_) ->
    _ = crypto:generate_key(ecdh, secp256r1),
    ok.

digest({_, Data}) ->
    _ = [crypto:hash(Kind, Data) || Kind <- [sha, sha256, sha512, sha3_256]],
    ok.

authenticated({_, Data}) ->
    _ = [crypto:crypto_one_time_aead(aes_256_gcm, <<0:256>>, <<0:96>>, Data, <<>>, true) || _ <- lists:seq(1, 20)],
    ok.

stream({_, Data}) ->
    _ = [crypto:crypto_one_time_aead(chacha20_poly1305, <<0:256>>, <<0:96>>, Data, <<>>, true) || _ <- lists:seq(1, 20)],
    ok.
