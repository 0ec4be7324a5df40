-module(shop_images).
-export([visit/0, refill/1]).

%% Keeps images of mixed sizes and drops every second one. That leaves holes in the carriers, and the
%% next images are slightly larger than the holes.
visit() ->
    Kept = case get(images) of
               undefined -> [];
               Images when length(Images) > 400 -> every_second(Images);
               Images -> Images
           end,
    put(images, refill(Kept)).

refill(Images) ->
    [binary:copy(<<"pixel">>, 200 + rand:uniform(4000)) | Images].

every_second([Keep, _Drop | Rest]) -> [Keep | every_second(Rest)];
every_second(Rest) -> Rest.
