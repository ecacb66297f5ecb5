import type { Migrator } from '../schema.ts'

/** Adds the destination and the kind of deliveries. Earlier deliveries have no destination. */
export async function addDeliveryDestinations({ run }: Migrator): Promise<void> {
  await run(`alter table "webhookDeliveries" add column "stream" text`)
  await run(`alter table "webhookDeliveries" add column "topic" text`)
  await run(`alter table "webhookDeliveries" add column "kind" text not null default 'delivery'`)
}
