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
      'server/transfer',
      'server/transfer/run-in-process',
      'server/start-problems',
      'server/workflows/setup/first-start',
    ],
  },
  {
    why: 'several nodes, which only PostgreSQL has, and ids that follow the order of commits',
    paths: [
      'test/nodes/',
      'server/storage/event-log.test.ts',
      'server/presence/',
      'server/events/event-hub',
      'server/events/queues/',
    ],
  },
  {
    why: 'SQL of its own: full-text search, JSON, lateral joins, arrays',
    paths: [
      'server/messages/search/',
      'server/messages/narrow/',
      'server/messages/endpoints/update-flags-in-narrow',
      'server/messages/flag',
      'server/messages/mark-read',
      'server/messages/read-',
      'server/messages/refusals',
      'server/messages/unread-read-marks',
      'server/messages/update-flags',
      'server/messages/reading/',
      'server/messages/jobs/',
      'server/messages/send-once',
      'server/notifications/content/',
      'server/notifications/missed-',
      'server/notifications/notification-cost',
      'server/accounts/bot-storage',
      'server/integrations/delivery-log',
    ],
  },
  {
    why: 'work that one node claims from a queue, and counters that several write',
    paths: [
      'server/mail/',
      'server/notifications/delivery/',
      'server/notifications/webhooks',
      'server/messages/scheduled-messages',
      'server/messages/sending/restart',
      'server/messages/sending/send-scheduled-message',
      'server/http/attempts',
    ],
  },
  {
    why: 'rows written in bulk, with ids and times of their own',
    paths: ['server/transfer/import', 'server/transfer/export-organization'],
  },
  {
    why: 'the four specified operations',
    paths: ['test/scenarios/', 'test/contract/'],
  },
  {
    why: 'locks, and races between people who change the same rows',
    paths: [
      'server/workflows/subscribe-and-announce',
      'server/workflows/unsubscribe-and-notify',
      'server/workflows/lock-order',
      'server/workflows/new-channel-limits',
      'server/invitations/concurrent-reminders',
      'server/invitations/inviter-limits',
      'server/invitations/send-statements',
      'server/workflows/joining/concurrent-joins',
      'server/messages/editing/move-messages',
      'server/organizations/locked-reads',
      'server/organizations/usage',
    ],
  },
]
