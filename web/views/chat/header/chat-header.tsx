import { Link } from '@tanstack/react-router'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import Menu from 'lucide-react/icons/menu'
import Users from 'lucide-react/icons/users'
import { Fragment, type ReactNode } from 'react'
import { changeLayout, useLayout } from '../../../store/browser/layout.ts'
import { drawer } from '../../../store/page/drawer.ts'
import { shortcutLabel } from '../../../store/shortcuts/shortcut-keys.ts'
import { t } from '../../../text/t.ts'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { useMedia } from '../../../ui/layout/use-media.ts'
import { PHONE, WITH_RIGHT_PANE, WITH_SIDEBAR } from '../../../ui/layout/widths.ts'
import { WindowTitle } from '../../../ui/layout/window-title.tsx'
import './chat-header.css'

/**
 * The header of a page: its title, a one-line description and its actions. The title is also part of the window title.
 */
export function ChatHeader(props: {
  title: string
  /** Content in place of the title, such as a button with the title. */
  shownTitle?: ReactNode
  /** The text after `title` in the window title, such as the organization's name. */
  within: string
  icon?: ReactNode
  /** The parent of the title, such as the channel of a topic. */
  before?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  /** The menu with all actions, after the buttons. */
  menu?: ReactNode
  /** True if the page has people who can be shown beside it. */
  hasPeople?: boolean
  /** True if the heading of the page is in its content. The header then shows the title as plain text. */
  hasHeadingBelow?: boolean
  /** The page to which the header leads back on phones. Conversations lead back to all conversations. */
  back?: BackLink
}): ReactNode {
  const { title, shownTitle = title, within, icon, before, about, actions, menu, hasPeople = false } = props
  const { hasHeadingBelow = false, back = hasPeople || before !== undefined ? CHATS : null } = props
  const Heading = hasHeadingBelow ? 'span' : 'h1'
  return (
    <header className={before === undefined ? 'chat-header' : 'chat-header chat-header-two'}>
      <WindowTitle>{`${title} · ${within}`}</WindowTitle>
      <SidebarButton back={back} />
      <div className="chat-header-title">
        {icon}
        {before !== undefined && (
          <>
            <span className="chat-header-before">{before}</span>
            <span className="chat-header-joint" aria-hidden="true">
              ›
            </span>
          </>
        )}
        <Heading className="chat-header-name">{shownTitle}</Heading>
      </div>
      <div className="chat-header-about">{about}</div>
      {/* Each part is alone in its fragment, because two siblings with the same key would stay on other pages. */}
      <div className="chat-header-actions">
        <Fragment key="actions">{actions}</Fragment>
        {hasPeople && <PeopleButton />}
        <Fragment key="menu">{menu}</Fragment>
      </div>
    </header>
  )
}

/** A page to which a phone leads back. */
export type BackLink = { to: string; label: string }

export const CHATS: BackLink = { to: '/chats', label: t('Back to chats') }

/** The header of a page that is loading or cannot be shown. */
export const EmptyHeader = (): ReactNode => (
  <div className="chat-header">
    <SidebarButton back={null} />
  </div>
)

/** The button that opens the sidebar in windows that are too narrow for it. On phones, a link that leads back. */
function SidebarButton({ back }: { back: BackLink | null }): ReactNode {
  const isWide = useMedia(WITH_SIDEBAR)
  const isPhone = useMedia(PHONE)
  if (isWide) return null
  if (isPhone)
    return (
      back !== null && (
        <Link to={back.to} className="button button-quiet button-round" aria-label={back.label} data-back>
          <ChevronLeft className="icon flips" aria-hidden="true" />
        </Link>
      )
    )
  return (
    <span data-opens="conversations">
      <IconButton
        label={t('Conversations')}
        keys={shortcutLabel('[')}
        icon={Menu}
        onPress={() => drawer.set('conversations')}
      />
    </span>
  )
}

function PeopleButton(): ReactNode {
  const isWide = useMedia(WITH_RIGHT_PANE)
  const { showsPeople } = useLayout()
  return (
    <span data-opens="people">
      <IconButton
        label={t('People')}
        keys={shortcutLabel(']')}
        icon={Users}
        {...(isWide && { isPressed: showsPeople })}
        onPress={() => (isWide ? changeLayout({ showsPeople: !showsPeople }) : drawer.set('people'))}
      />
    </span>
  )
}
