import ChevronDown from 'lucide-react/icons/chevron-down'
import { type ReactNode, useRef, useState } from 'react'
import { useEditRequest } from '../../browser/compose-requests.ts'
import { ContentTool } from '../../message-html/content-tool.tsx'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import type { Message } from '../../messages/message.ts'
import { currentOrganization, useOrganizationPart } from '../../store/organization.ts'
import { commandForKey, shortcutSettings } from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import { lazyExtra, lazyPart } from '../../ui/lazy-part.tsx'
import { TOUCH, useMedia } from '../../ui/use-media.ts'
import type { Part } from '../dialogs/part.ts'
import { OpenedPart } from '../message-parts.tsx'
import { UnsavedEdit } from '../unsaved-edit.tsx'
import { actionOfKey, isActionAvailable, type MessageAction } from './message-actions.ts'
import { MessageWidget } from './message-widget.tsx'
import { THUMBS_UP, toggleReaction } from './react.ts'
import { ReactionBar } from './reaction-bar.tsx'
import { useMessageAction } from './use-message-action.ts'
import { useRowFocus } from './use-row-focus.ts'

const MessageMenu = lazyPart(async () => (await import('./message-menu.tsx')).MessageMenu)

const MessageTools = lazyExtra(async () => (await import('./message-tools.tsx')).MessageTools)

const NO_WORDS: readonly string[] = []

/** The text of a message. Alert words are highlighted only if the server has found some in the message. */
const OwnContent = ({ message }: { message: Message }): ReactNode =>
  message.flags.includes('has_alert_word') ? <AlertingContent message={message} /> : <Content message={message} />

const AlertingContent = ({ message }: { message: Message }): ReactNode => (
  <Content message={message} alertWords={useOrganizationPart(({ alert_words }) => alert_words)} />
)

function Content({ message, alertWords = NO_WORDS }: { message: Message; alertWords?: readonly string[] }): ReactNode {
  const { id, content, match_content, is_me_message } = message
  const html = match_content ?? content
  const text = (
    <RenderedContent
      html={is_me_message ? html.replace(/^<p>\/me /, '<p>') : html}
      words={alertWords}
      messageId={id}
      folds
    />
  )
  return is_me_message ? <div className="message-me">{text}</div> : text
}

/** Replaces the text of a message that the user has collapsed. */
function CollapsedContent({ onExpand }: { onExpand: () => void }): ReactNode {
  return (
    <ContentTool onClick={onExpand}>
      <ChevronDown className="icon" aria-hidden="true" />
      {t('Show collapsed message')}
    </ContentTool>
  )
}

/** The content of a message, its reactions and actions. It must be inside a row with `data-message`. */
export function MessageBody({ message }: { message: Message }): ReactNode {
  const content = useRef<HTMLDivElement>(null)
  const more = useRef<HTMLButtonElement>(null)
  /** The button in the row of reactions that opened the picker. */
  const adder = useRef<HTMLElement>(null)
  const [part, open] = useState<Part | null>(null)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const perform = useMessageAction(message, content, open)
  useEditRequest(message.id, () => open('edit'))

  function onKey(event: KeyboardEvent): boolean {
    const action = actionOfKey(event, message, (pressed) => commandForKey(shortcutSettings(), pressed))
    const organization = currentOrganization()
    if (action === null || organization === undefined) return false
    const { user_id } = organization
    const first = message.reactions[0]
    if (action === 'menu') setMenuOpen(true)
    else if (action === 'person') open('person')
    else if (action === 'thumbs-up') void toggleReaction(message, THUMBS_UP, user_id)
    else if (action === 'first-reaction') void (first && toggleReaction(message, first, user_id))
    else if (isActionAvailable(action, organization, message, Date.now() / 1000)) perform(action)
    else if (action === 'edit') perform('source')
    return true
  }

  function reply() {
    const organization = currentOrganization()
    if (organization === undefined || part !== null) return
    if (isActionAvailable('reply', organization, message, Date.now() / 1000)) perform('reply')
  }

  const focusRow = () => content.current?.closest<HTMLElement>('[data-message]')?.focus({ preventScroll: true })

  function openMenu() {
    // The focus returns to the row when the menu is closed.
    focusRow()
    setMenuOpen(true)
  }

  function close() {
    // While a message is edited, its tools are not on the page, so the focus cannot return to them.
    if (part === 'edit') focusRow()
    adder.current = null
    open(null)
  }

  const isTouch = useMedia(TOUCH)
  const isActive = useRowFocus(content, {
    onLongPress: openMenu,
    onContextMenu: openMenu,
    onDoubleClick: () => !isTouch && reply(),
    onKey,
  })
  return (
    <>
      <div ref={content} hidden={part === 'edit'}>
        {message.flags.includes('collapsed') ? (
          <CollapsedContent onExpand={() => perform('expand')} />
        ) : (
          <MessageWidget message={message}>
            <OwnContent message={message} />
          </MessageWidget>
        )}
      </div>
      {part !== null && (
        <OpenedPart part={part} message={message} trigger={adder.current ? adder : more} onClose={close} />
      )}
      {part !== 'edit' && <UnsavedEdit message={message} onContinue={() => open('edit')} onDiscarded={focusRow} />}
      <ReactionBar
        message={message}
        onAdd={(button) => {
          adder.current = button
          open('react')
        }}
      />
      {part !== 'edit' && (isActive || isMenuOpen || part !== null || isTouch) && (
        <MessageTools
          message={message}
          isShown={!isTouch && (isActive || isMenuOpen)}
          isMenuOpen={isMenuOpen}
          more={more}
          onAct={perform}
          onMenu={() => setMenuOpen(true)}
        />
      )}
      {isMenuOpen && (
        <MessageMenu
          message={message}
          trigger={more}
          onAct={(run: MessageAction) => perform(run)}
          onClose={() => setMenuOpen(false)}
        />
      )}
    </>
  )
}
