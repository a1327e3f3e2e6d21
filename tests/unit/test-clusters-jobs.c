/* How executor `clusters` divides the instances of a last round: every panel once, in the order that adds up the parts,
 * and never more rounds than without. */
#include "clusters-jobs.h"

#include <glib.h>

static const TgClusterJobCost free_of_charge = {0, 0}, usual = {0.7, 0.6};

static void check_cover(const TgClusterJobs *jobs, gint64 instances, gint64 panels) {
  gint64 at = 0, partials = 0;
  for (gint64 i = 0; i < instances; i++) {
    for (gint64 panel = 0; panel < panels; at++) {
      g_assert_cmpint(at, <, jobs->count);
      const TgClusterJob *job = &jobs->job[at];
      g_assert_cmpint(job->instance, ==, i);
      g_assert_cmpint(job->first_panel, ==, panel);
      g_assert_cmpint(job->panels, >, 0);
      g_assert_cmpint(job->partial, ==, panel == 0 ? -1 : partials++);
      panel += job->panels;
    }
  }
  g_assert_cmpint(at, ==, jobs->count);
  g_assert_cmpint(partials, ==, jobs->partials);
  g_assert_cmpint(partials, ==, (instances - jobs->divided) * (jobs->parts - 1));
}

/* Panels one after another when whoever is free takes the next job. */
static gint64 played(const TgClusterJobs *jobs, gint64 resident) {
  g_autofree gint64 *until = g_new0(gint64, (gsize)resident);
  gint64 last = 0;
  for (gint64 j = 0; j < jobs->count; j++) {
    gint64 first = 0;
    for (gint64 r = 1; r < resident; r++)
      if (until[r] < until[first]) first = r;
    until[first] += jobs->job[j].panels;
    last = MAX(last, until[first]);
  }
  return last;
}

static void test_every_size(void) {
  for (gint64 instances = 1; instances < 70; instances += 3)
    for (gint64 panels = 1; panels < 40; panels += 4)
      for (gint64 resident = 1; resident < 34; resident += 3) {
        const gint64 undivided = (instances + resident - 1) / resident * panels;
        TgClusterJobs jobs;
        g_assert_true(tg_cluster_jobs_init(&jobs, instances, panels, resident, G_MAXINT32, usual));
        check_cover(&jobs, instances, panels);
        g_assert_cmpint(jobs.passes, <=, undivided);
        g_assert_cmpint(played(&jobs, resident), <=, jobs.passes);
        g_assert_cmpint(jobs.passes * resident, >=, instances * panels);
        if (instances % resident == 0) g_assert_cmpint(jobs.parts, ==, 1);
        tg_cluster_jobs_clear(&jobs);
      }
}

/* 256 instances of 32 panels, 30 at once: 16 are left for 30 clusters. */
static void test_last_round(void) {
  TgClusterJobs jobs;
  g_assert_true(tg_cluster_jobs_init(&jobs, 256, 32, 30, G_MAXINT32, usual));
  g_assert_cmpint(jobs.divided, ==, 240);
  g_assert_cmpint(jobs.parts, ==, 11); /* 176 jobs in 6 turns of 3 panels: 18 panels and 6 ends, not 32 and 1 */
  g_assert_cmpint(jobs.passes, ==, 8 * 32 + 18);
  tg_cluster_jobs_clear(&jobs);
}

static void test_cost(void) {
  TgClusterJobs jobs;
  g_assert_true(tg_cluster_jobs_init(&jobs, 1, 8, 30, G_MAXINT32, free_of_charge));
  g_assert_cmpint(jobs.parts, ==, 8);
  g_assert_cmpint(jobs.passes, ==, 1);
  tg_cluster_jobs_clear(&jobs);
  const TgClusterJobCost dear = {0, 7.5};
  g_assert_true(tg_cluster_jobs_init(&jobs, 1, 8, 30, G_MAXINT32, dear));
  g_assert_cmpint(jobs.parts, ==, 1);
  tg_cluster_jobs_clear(&jobs);
}

static void test_most(void) {
  TgClusterJobs jobs;
  g_assert_true(tg_cluster_jobs_init(&jobs, 3, 8, 30, 6, free_of_charge));
  g_assert_cmpint(jobs.count, ==, 6);
  check_cover(&jobs, 3, 8);
  tg_cluster_jobs_clear(&jobs);
  g_assert_true(tg_cluster_jobs_init(&jobs, 3, 8, 30, 3, free_of_charge));
  g_assert_cmpint(jobs.count, ==, 3);
  tg_cluster_jobs_clear(&jobs);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/clusters-jobs/every-size", test_every_size);
  g_test_add_func("/clusters-jobs/last-round", test_last_round);
  g_test_add_func("/clusters-jobs/cost", test_cost);
  g_test_add_func("/clusters-jobs/most", test_most);
  return g_test_run();
}
