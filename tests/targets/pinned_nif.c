/* NIFs that keep their scheduler for ever: on the CPU, or waiting off it. */
#include <erl_nif.h>
#include <poll.h>
#include <stddef.h>

static volatile int turns = 0;

/* Not static, so that every compiler keeps them as functions with a name. */
__attribute__((noinline)) void burn_for_ever(void) {
  for (;;) ++turns;
}

__attribute__((noinline)) void sleep_for_ever(void) {
  for (;;) {
    poll(NULL, 0, -1);
    ++turns;
  }
}

static ERL_NIF_TERM burn(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc;
  (void)argv;
  burn_for_ever();
  return enif_make_int(env, turns);
}

static ERL_NIF_TERM wait_in_c(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc;
  (void)argv;
  sleep_for_ever();
  return enif_make_int(env, turns);
}

static ErlNifFunc functions[] = {{"burn", 0, burn, 0},
                                 {"wait", 0, wait_in_c, 0},
                                 {"dirty_burn", 0, burn, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"dirty_wait", 0, wait_in_c, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(pinned, functions, NULL, NULL, NULL, NULL)
