import { Link, useNavigate } from '@tanstack/react-router'
import PencilLine from 'lucide-react/icons/pencil-line'
import Trash2 from 'lucide-react/icons/trash-2'
import { type ReactNode, useRef } from 'react'
import { withWish } from '../../../store/composing.ts'
import { useOrganization } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { PageHead } from '../../../ui/page.tsx'
import { toast } from '../../../ui/toast.ts'
import { readDraft, saveDraft } from '../../composer/drafts.ts'
import { ChatLayout } from '../chat-layout.tsx'
import { toLocation } from '../to-location.ts'
import './drafts.css'
import { type KeptDraft, useKeptDrafts } from './kept-drafts.ts'

/** What one began to write and did not send, on this device. */
export function Drafts(): ReactNode {
  const { realm_name, user_id } = useOrganization()
  const kept = useKeptDrafts(user_id)
  const titleOf = useTitles()
  const navigate = useNavigate()
  const list = useRef<HTMLUListElement>(null)

  function remove({ place, draft }: KeptDraft) {
    const row = list.current?.querySelector(`[data-place="${CSS.escape(place)}"]`)
    const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('a')
    ;(next ?? list.current?.closest('main'))?.focus()
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
        <p>What you began to write and did not send yet. It is kept in this browser alone.</p>
      </PageHead>
      {kept.length === 0 ? (
        <Empty icon={<PencilLine />} title="You have no drafts">
          <p>What you leave unsent where you write is kept, and appears here.</p>
        </Empty>
      ) : (
        <ul ref={list} className="drafts">
          {kept.map((one) => (
            <li key={one.place} className="card draft" data-place={one.place}>
              <Link {...(one.narrow === null ? { to: '/' } : toLocation(one.narrow))} className="draft-link">
                <b>{titleOf(one)}</b>
                <span className="draft-text" dir="auto">
                  {one.draft.text}
                </span>
              </Link>
              <Button
                kind="quiet"
                aria-label={`Delete the draft: ${titleOf(one)}`}
                icon={<Trash2 className="icon" aria-hidden="true" />}
                onPress={() => remove(one)}
              />
            </li>
          ))}
        </ul>
      )}
    </ChatLayout>
  )
}

/** Says where a draft is to go. */
function useTitles(): (kept: KeptDraft) => string {
  const { subscriptions } = useOrganization()
  const nameOf = useConversationName()
  return ({ narrow, draft }) => {
    if (narrow?.kind === 'direct') return nameOf(narrow.people)
    const id = narrow?.channelId ?? draft.channelId
    const channel = subscriptions.find(({ stream_id }) => stream_id === id)?.name ?? 'A channel that you are not in'
    const topic = draft.topic ?? (narrow?.kind === 'topic' ? narrow.topic : '')
    const isTopicKnown = topic !== '' || narrow?.kind === 'topic'
    return isTopicKnown ? `${channel} › ${topic || 'general chat'}` : channel
  }
}
