import { useNavigate } from '@tanstack/react-router'
import PencilLine from 'lucide-react/icons/pencil-line'
import Trash2 from 'lucide-react/icons/trash-2'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { EDIT_PREFIX, requestComposeOnNextPage, withRequestedText } from '../browser/compose-requests.ts'
import {
  type ComposerPage,
  conversationOfDestination,
  draftKeyOf,
  isPageOf,
  destinationOf as recipientsIn,
} from '../composer/destination.ts'
import { type MessageDestination, useDestinationTitle } from '../composer/destination-name.ts'
import { discardEdit, editName } from '../conversation/unsaved-edit.tsx'
import { newDraftKey, readDraft, saveDraft } from '../messages/drafts.ts'
import { showDraft } from '../messages/further-drafts.ts'
import type { Narrow } from '../messages/narrow.ts'
import { PageFrame } from '../navigation/page.tsx'
import { moveInPane } from '../navigation/row-list.ts'
import { type Organization, useOrganization } from '../store/organization.ts'
import { useStoredNames } from '../store/stored-state.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './list/unsent.module.css'
import { EditRow, focusNextRow, UnsentRow, UnsentTabs } from './list/unsent-row.tsx'
import { type SavedDraft, useSavedDrafts } from './saved-drafts.ts'

/** The user's drafts in this browser. */
export function Drafts(): ReactNode {
  const organization = useOrganization()
  const { realm_name, user_id } = organization
  const kept = useSavedDrafts(user_id)
  const edited = useStoredNames(user_id, EDIT_PREFIX)
    .map((name) => Number(name.slice(EDIT_PREFIX.length)))
    .sort((one, other) => one - other)
  const titleOf = useDestinationTitle()
  const navigate = useNavigate()
  const list = useRef<HTMLUListElement>(null)

  /** Makes the draft the one that the compose box of the next page shows, with the focus. */
  function show({ key, narrow: own }: SavedDraft, narrow: Narrow | null, isElsewhere: boolean) {
    const isConversation = narrow?.kind === 'topic' || narrow?.kind === 'direct'
    const page: ComposerPage = isConversation ? narrow : { kind: 'any', isNew: narrow === null }
    showDraft(user_id, key, own !== null && narrow === own ? key : draftKeyOf(page, user_id))
    // The page that starts messages focuses their recipients.
    if (isElsewhere || narrow === null) return
    const conversation = isConversation || narrow.kind === 'channel' ? narrow : { people: [] }
    requestComposeOnNextPage({ text: '', isFocusOnly: true, conversation })
  }

  function remove({ key, draft }: SavedDraft) {
    focusNextRow(list.current, key)
    saveDraft(key, {})
    const undo = () => {
      // A newer draft is kept before the restored text. No compose box may be on the page, because it would not notice
      // the restored draft.
      void navigate({ to: '/drafts' }).then(() =>
        saveDraft(key, {
          ...draft,
          text: withRequestedText(readDraft(key).text ?? '', draft.text ?? ''),
        }),
      )
    }
    showToast(t('Draft deleted'), { undo })
  }

  function discard(messageId: number) {
    focusNextRow(list.current, editName(messageId))
    discardEdit(user_id, messageId)
  }

  /** Moves between drafts with the arrow keys, and deletes the focused one with Backspace. */
  function onKeyDown(event: KeyboardEvent) {
    const target = event.target as Element
    if (!target.matches('.unsent-link') || list.current === null) return
    const id = target.closest<HTMLElement>('[data-unsent]')?.dataset['unsent']
    const draft = kept.find(({ key }) => key === id)
    const messageId = edited.find((one) => editName(one) === id)
    if (event.key !== 'Backspace' || id === undefined) return moveInPane(list.current, event, '.unsent-link')
    event.preventDefault()
    if (draft !== undefined) remove(draft)
    if (messageId !== undefined) discard(messageId)
  }

  return (
    <PageFrame
      title={t('Drafts')}
      within={realm_name}
      icon={<PencilLine className="icon" aria-hidden="true" />}
      about={t('Messages that you started writing but haven’t sent.')}
    >
      <UnsentTabs />
      {kept.length + edited.length === 0 ? (
        <Empty icon={<PencilLine />} title={t('No drafts')}>
          <p>{t('Messages you start writing are saved here automatically.')}</p>
        </Empty>
      ) : (
        <ul ref={list} className={css.unsent} onKeyDown={onKeyDown}>
          {kept.map((one) => {
            const title = titleOf(destinationOf(one))
            const narrow = narrowOfDraft(one, organization)
            return (
              <UnsentRow
                key={one.key}
                id={one.key}
                narrow={narrow}
                onOpen={(isElsewhere) => show(one, narrow, isElsewhere)}
                title={title}
                text={one.draft.text ?? ''}
              >
                <Button
                  kind="quiet"
                  aria-label={t('Delete draft: {title}', { title })}
                  icon={<Trash2 className="icon" aria-hidden="true" />}
                  onPress={() => remove(one)}
                />
              </UnsentRow>
            )
          })}
          {edited.map((messageId) => (
            <EditRow key={messageId} messageId={messageId} onDiscard={() => discard(messageId)} />
          ))}
        </ul>
      )}
    </PageFrame>
  )
}

/**
 * Returns the conversation of a draft, or the channel feed in which it was written. If the user cannot write there,
 * returns the page on which the draft was written, which is null for the page that starts messages.
 */
function narrowOfDraft({ key, narrow, draft }: SavedDraft, { user_id, subscriptions }: Organization): Narrow | null {
  const conversation = conversationOfDestination(recipientsIn(narrow ?? ANY, draft), user_id)
  const channelId = conversation?.kind === 'topic' ? conversation.channelId : undefined
  const isOpen = channelId === undefined || subscriptions.some(({ stream_id }) => stream_id === channelId)
  if (narrow !== null) {
    const isOwn =
      conversation === null ||
      (narrow.kind === 'channel' ? narrow.channelId === channelId : isPageOf(narrow, conversation))
    return isOwn || !isOpen || draft.name?.trim() ? narrow : conversation
  }
  if (conversation !== null && isOpen) return conversation
  const isOfFeed = key === draftKeyOf(ANY, user_id)
  return isOfFeed || (conversation !== null && key !== newDraftKey(user_id)) ? { kind: 'combined' } : null
}

const ANY = { kind: 'any' } as const

function destinationOf({ narrow, draft }: SavedDraft): MessageDestination {
  if (draft.people !== undefined) return { people: draft.people }
  if (narrow?.kind === 'direct' && draft.channelId === undefined) return narrow
  const topic = draft.topic ?? (narrow?.kind === 'topic' ? narrow.topic : '')
  const isTopicKnown = topic !== '' || narrow?.kind === 'topic'
  const channelId = draft.channelId ?? (narrow?.kind === 'direct' ? undefined : narrow?.channelId)
  return { channelId, topic: isTopicKnown ? topic : null }
}
