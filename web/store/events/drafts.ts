import { dropDraft, takeDraft } from '../drafts/draft-sync.ts'
import type { EventOf } from './event.ts'

export function applyDrafts(event: EventOf<'drafts'>, ownId: number): void {
  switch (event.op) {
    case 'add':
      for (const draft of event.drafts) takeDraft(ownId, draft)
      return
    case 'update':
      return takeDraft(ownId, event.draft)
    case 'remove':
      return dropDraft(ownId, event.draft_id)
  }
}
