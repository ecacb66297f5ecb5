/**
 * The tests that run on PostgreSQL in every run, because the tested behavior differs between the databases; `npm run
 * test:long` runs all others there as well. A feature that has separate SQL for one database, takes locks, or depends
 * on the order of commits belongs here.
 */
export const TESTS_ON_BOTH_DATABASES: readonly { why: string; paths: readonly string[] }[] = [
  {
    why: 'the databases themselves: connections, transactions, values, migrations, copies',
    paths: [
      'server/storage/',
      'server/cli/',
      'server/transfer/backups/',
      'server/start-problems',
      'server/workflows/setup/first-start',
    ],
  },
  {
    why: 'several nodes, which only PostgreSQL has, and ids that follow the order of commits',
    paths: ['test/nodes/', 'server/storage/log/', 'server/presence/', 'server/events/queues/'],
  },
  {
    why: 'SQL of its own: full-text search, JSON, lateral joins, arrays',
    paths: [
      'server/messages/search/',
      'server/messages/narrow/',
      'server/messages/flags/',
      'server/messages/reading/',
      'server/messages/retention/',
      'server/messages/sending/send-once',
      'server/messages/notifications/',
      'server/people/bot-storage/',
    ],
  },
  {
    why: 'work that one node claims from a queue, and counters that several write',
    paths: [
      'server/mail/',
      'server/notifications/web-push/',
      'server/notifications/webhooks/',
      'server/messages/scheduled-messages/',
      'server/http/limits/attempts',
    ],
  },
  {
    why: 'rows written in bulk, with ids and times of their own',
    paths: ['server/transfer/importing/', 'server/transfer/exporting/'],
  },
  {
    why: 'the four specified operations',
    paths: ['test/scenarios/', 'test/contract/'],
  },
  {
    why: 'locks, and races between people who change the same rows',
    paths: [
      'server/workflows/subscriptions/',
      'server/invitations/concurrent-reminders',
      'server/invitations/inviter-limits',
      'server/invitations/send-statements',
      'server/workflows/joining/concurrent-joins',
      'server/messages/editing/move-messages',
      'server/organizations/locked-reads',
      'server/organizations/usage/',
    ],
  },
]
