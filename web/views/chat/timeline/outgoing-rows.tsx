import type { ReactNode } from 'react'
import type { Message } from '../../../store/messages/message.ts'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { useOrganizationPart } from '../../../store/organization.ts'
import { isSendingPaused, type OutgoingMessage } from '../../../store/outgoing/outgoing.ts'
import { deleteOutgoing, retryOutgoing } from '../../../store/outgoing/send-outgoing.ts'
import { requestCompose } from '../../../store/page/compose-request.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Avatar } from '../../../ui/people/avatar.tsx'
import './outgoing-rows.css'

/** The user's messages that are not in the timeline yet: being sent, waiting for the connection, or failed. */
export function OutgoingRows(props: {
  narrow: Narrow
  outgoing: readonly OutgoingMessage[]
  messages: readonly Message[]
}): ReactNode {
  const { narrow, outgoing, messages } = props
  const shown = outgoing.filter(({ sentId }) => sentId === null || !messages.some(({ id }) => id === sentId))
  if (shown.length === 0) return null
  return (
    <ol className="message-list outgoing-list" aria-label={t('Sending')}>
      {shown.map((message) => (
        <li key={message.localId}>
          <OutgoingRow message={message} showsTopic={narrow.kind === 'channel'} />
        </li>
      ))}
    </ol>
  )
}

function OutgoingRow({ message, showsTopic }: { message: OutgoingMessage; showsTopic: boolean }): ReactNode {
  const { localId, conversation, text, sentId, failure } = message
  const name = useOrganizationPart(({ full_name }) => full_name)
  const url = useOrganizationPart(({ avatar_url_medium }) => avatar_url_medium)
  const isPaused = isSendingPaused.use() && sentId === null
  return (
    <article
      className="message outgoing"
      data-state={failure === null ? 'sending' : 'failed'}
      aria-busy={failure === null}
    >
      <Avatar name={name ?? ''} url={url ?? null} />
      <div className="message-body">
        <p className="message-head">
          <b>{name}</b>
          {showsTopic && conversation.kind === 'topic' && <span className="soft small"> › {conversation.topic}</span>}
          {failure === null && isPaused && <span className="soft small"> · {t('waiting for the connection')}</span>}
          {failure === null && !isPaused && <span className="visually-hidden">{t(', sending')}</span>}
        </p>
        <div className="outgoing-text" dir="auto">
          {text}
        </div>
        {failure !== null && (
          <p className="outgoing-failure danger small" role="alert">
            {t('Couldn’t send the message')}: {failure}
          </p>
        )}
        {(failure !== null || isPaused) && (
          <div className="outgoing-actions">
            {failure !== null && (
              <Button kind="quiet" onPress={() => retryOutgoing(localId)}>
                {t('Try again')}
              </Button>
            )}
            <Button kind="quiet" onPress={() => editOutgoing(message)}>
              {t('Edit')}
            </Button>
            <Button kind="quiet" onPress={() => deleteOutgoing(localId)}>
              {t('Delete')}
            </Button>
          </div>
        )}
      </div>
    </article>
  )
}

/** Moves the text back to the compose box. */
function editOutgoing({ localId, conversation, text }: OutgoingMessage): void {
  if (requestCompose({ text, conversation })) deleteOutgoing(localId)
}
