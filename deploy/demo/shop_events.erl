-module(shop_events).
-export([announce/0, publish/1, archive/0]).

announce() -> publish(order()).

%% Sending copies the whole term to the receiver's heap.
publish(Order) -> shop_archive ! {order, self(), Order}, ok.

order() ->
    #{lines => [#{item => I, name => "an item with a long name", tags => [new, sale, I]}
                || I <- lists:seq(1, 100)]}.

archive() ->
    receive {order, _From, _Order} -> archive() end.
