import { useNavigate } from '@tanstack/react-router'
import PencilLine from 'lucide-react/icons/pencil-line'
import Trash2 from 'lucide-react/icons/trash-2'
import { type ReactNode, useRef } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { withWish } from '../../../store/page/composing.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { PageHead } from '../../../ui/layout/page.tsx'
import { readDraft, saveDraft } from '../../composer/drafts.ts'
import { ChatLayout } from '../chat-layout.tsx'
import { type KeptDraft, useKeptDrafts } from './kept-drafts.ts'
import { leaveRow, UnsentRow } from './unsent-row.tsx'
import { type Destination, useTitle } from './use-title.ts'

/** What one began to write and did not send, on this device. */
export function Drafts(): ReactNode {
  const { realm_name, user_id } = useOrganization()
  const kept = useKeptDrafts(user_id)
  const titleOf = useTitle()
  const navigate = useNavigate()
  const list = useRef<HTMLUListElement>(null)

  function remove({ place, draft }: KeptDraft) {
    leaveRow(list.current, place)
    saveDraft(place, {})
    const undo = () => {
      // What was begun there meanwhile stays, and no composer is to be on the page that knows nothing of what comes back.
      void navigate({ to: '/drafts' }).then(() =>
        saveDraft(place, { ...draft, text: withWish(readDraft(place).text ?? '', draft.text ?? '') }),
      )
    }
    toast('The draft is deleted', { undo })
  }

  return (
    <ChatLayout>
      <PageHead title="Drafts" within={realm_name}>
        <p>Unsent messages, saved in this browser until you log out.</p>
      </PageHead>
      {kept.length === 0 ? (
        <Empty icon={<PencilLine />} title="No drafts">
          <p>Messages you start writing are saved here automatically.</p>
        </Empty>
      ) : (
        <ul ref={list} className="unsent">
          {kept.map((one) => {
            const title = titleOf(destinationOf(one))
            return (
              <UnsentRow key={one.place} id={one.place} narrow={one.narrow} title={title} text={one.draft.text ?? ''}>
                <Button
                  kind="quiet"
                  aria-label={`Delete the draft: ${title}`}
                  icon={<Trash2 className="icon" aria-hidden="true" />}
                  onPress={() => remove(one)}
                />
              </UnsentRow>
            )
          })}
        </ul>
      )}
    </ChatLayout>
  )
}

function destinationOf({ narrow, draft }: KeptDraft): Destination {
  if (narrow?.kind === 'direct') return narrow
  const topic = draft.topic ?? (narrow?.kind === 'topic' ? narrow.topic : '')
  const isTopicKnown = topic !== '' || narrow?.kind === 'topic'
  return { channelId: narrow?.channelId ?? draft.channelId, topic: isTopicKnown ? topic : null }
}
