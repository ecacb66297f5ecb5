import type { Migrator } from '../schema.ts'

/** Creates the search indexes of messages: their words, features, senders and flags. */
export async function searchMessages({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'sqlite') {
    // The words are stored normalized, so the tokenizer only splits them at spaces.
    await run(
      `create virtual table "messageWords" using fts5 ("words", content = '', contentless_delete = 1, tokenize = 'ascii')`,
    )
    await run(
      `create trigger "messages_endWords" after delete on "messages"
       begin delete from "messageWords" where "rowid" = old."id"; end`,
    )
  } else {
    await run(
      `create table "messageWords" (
         "rowid" bigint primary key references "messages" ("id") on delete cascade, "words" tsvector not null)`,
    )
    await run('create index "messageWords_words" on "messageWords" using gin ("words")')
  }
  const integer = dialect === 'sqlite' ? 'integer' : 'bigint'
  await run(`alter table "messages" add column "holdings" ${integer} not null default 0`)
  await run('create index "messages_holdings" on "messages" ("realmId", "id") where "holdings" <> 0')
  await run('create index "messages_senderId_id" on "messages" ("senderId", "id")')
  // Few records are starred, mention their user or are collapsed or historical: messages/flags/flag.ts, MARKS.
  await run('create index "userMessages_marks" on "userMessages" ("userId", "messageId") where ("flags" & 3706) <> 0')
}
