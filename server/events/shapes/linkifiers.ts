import type { Payload, QueueForm } from '../queues/queue.ts'

/** The linkifiers, for clients alone that know URL templates. */
export function shapeLinkifiers(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  return form.takesLinkifierTemplates ? payload : []
}
