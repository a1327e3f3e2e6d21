#define _GNU_SOURCE /* which CPUs a thread may use */
#include "team.h"

#include "trials.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/** A cache line of its own, so that nobody's noting disturbs another. */
typedef struct TgMember {
  TgTeam *team;
  int number;
  bool started;
  pthread_t thread;
  double begin_s, end_s;
  char apart[64];
} TgMember;

struct TgTeam {
  pthread_mutex_t mutex;
  pthread_cond_t begin, end; /* by the monotonic clock */
  int64_t round;             /* of work, under the mutex like all that follows */
  int busy;                  /* members that are not done with this round */
  bool over;
  TgTeamWork *work;
  void *data;
  atomic_int awake; /* in this round */
  int members;
  TgMember member[];
};

enum { SPINS = 2000 };

/** False where the system does not tell. */
static bool find_cpus(cpu_set_t *cpus) {
  return sched_getaffinity(0, sizeof *cpus, cpus) == 0;
}

int tg_team_most(void) {
  cpu_set_t cpus;
  return find_cpus(&cpus) ? CLAMP(CPU_COUNT(&cpus), 1, TG_TEAM_MOST) : 1;
}

/* Where it cannot be kept there, it runs where the system likes. */
static void keep_on(int number) {
  cpu_set_t cpus, own;
  if (!find_cpus(&cpus)) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &cpus) || number-- > 0) continue;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof own, &own);
    return;
  }
}

/* Until all are awake: where there are fewer CPUs than it seemed, somebody must let the others run. */
static void meet(TgTeam *team) {
  atomic_fetch_add(&team->awake, 1);
  for (int spins = 0; atomic_load(&team->awake) < team->members; spins++)
    if (spins > SPINS) sched_yield();
}

static void *run_member(void *data) {
  TgMember *member = data;
  TgTeam *team = member->team;
  keep_on(member->number);
  for (int64_t round = 1;; round++) {
    pthread_mutex_lock(&team->mutex);
    while (team->round < round && !team->over) pthread_cond_wait(&team->begin, &team->mutex);
    const bool over = team->over;
    pthread_mutex_unlock(&team->mutex);
    if (over) return NULL;
    meet(team);
    member->begin_s = tg_now_s();
    team->work(team->data, member->number);
    member->end_s = tg_now_s();
    pthread_mutex_lock(&team->mutex);
    if (--team->busy == 0) pthread_cond_signal(&team->end);
    pthread_mutex_unlock(&team->mutex);
  }
}

static void make_conditions(TgTeam *team) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->begin, &monotonic);
  pthread_cond_init(&team->end, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

TgTeam *tg_team_new(int members, GError **error) {
  TgTeam *team = g_malloc0(sizeof *team + (gsize)members * sizeof *team->member);
  team->members = members;
  make_conditions(team);
  for (int m = 0; m < members; m++) {
    TgMember *member = &team->member[m];
    *member = (TgMember){.team = team, .number = m};
    member->started = pthread_create(&member->thread, NULL, run_member, member) == 0;
    if (member->started) continue;
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "the system starts no more than %d of %d threads; raise the limit (ulimit -u, ulimit -v)", m, members);
    tg_team_free(team);
    return NULL;
  }
  return team;
}

void tg_team_free(TgTeam *team) {
  if (!team) return;
  pthread_mutex_lock(&team->mutex);
  team->over = true;
  pthread_cond_broadcast(&team->begin);
  pthread_mutex_unlock(&team->mutex);
  for (int m = 0; m < team->members; m++)
    if (team->member[m].started) pthread_join(team->member[m].thread, NULL);
  pthread_mutex_destroy(&team->mutex);
  pthread_cond_destroy(&team->begin);
  pthread_cond_destroy(&team->end);
  g_free(team);
}

int tg_team_members(const TgTeam *team) {
  return team->members;
}

static double time_of(const TgTeam *team) {
  double begin_s = team->member[0].begin_s, end_s = team->member[0].end_s;
  for (int m = 1; m < team->members; m++) {
    begin_s = MIN(begin_s, team->member[m].begin_s);
    end_s = MAX(end_s, team->member[m].end_s);
  }
  return end_s - begin_s;
}

static struct timespec soon(void) {
  enum { NS = 1000000000, PAUSE_NS = NS / 30 };
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_sec += (time.tv_nsec + PAUSE_NS) / NS;
  time.tv_nsec = (time.tv_nsec + PAUSE_NS) % NS;
  return time;
}

double tg_team_run(TgTeam *team, TgTeamWork *work, void (*meanwhile)(void *data), void *data) {
  pthread_mutex_lock(&team->mutex);
  team->work = work;
  team->data = data;
  team->busy = team->members;
  atomic_store(&team->awake, 0);
  team->round++;
  pthread_cond_broadcast(&team->begin);
  while (team->busy > 0) {
    const struct timespec until = soon();
    if (pthread_cond_timedwait(&team->end, &team->mutex, &until) == 0 || !meanwhile) continue;
    pthread_mutex_unlock(&team->mutex);
    meanwhile(data);
    pthread_mutex_lock(&team->mutex);
  }
  pthread_mutex_unlock(&team->mutex);
  return time_of(team);
}
