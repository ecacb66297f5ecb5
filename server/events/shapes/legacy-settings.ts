import type { Payload, QueueForm } from '../queues/queue.ts'

/** A setting, for clients that do not know of `user_settings`; the others hear of it there. */
export function shapeLegacySetting(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  return form.takesUserSettings ? [] : payload
}
