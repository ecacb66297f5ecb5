import { Link } from '@tanstack/react-router'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import Compass from 'lucide-react/icons/compass'
import Menu from 'lucide-react/icons/menu'
import Users from 'lucide-react/icons/users'
import { type ComponentProps, Fragment, type ReactNode } from 'react'
import { changeLayout, useLayout } from '../browser/layout.ts'
import { drawer } from '../browser/overlays.ts'
import { shortcutLabel } from '../store/shortcuts.ts'
import { t } from '../text/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/page-states.tsx'
import { WindowTitle } from '../ui/titles.tsx'
import { PHONE, useMedia, WITH_RIGHT_PANE, WITH_SIDEBAR } from '../ui/use-media.ts'
import * as css from './page.module.css'

/** The layout of a page with its own header. Its parts form a column, and only one of them scrolls. `isSunken` gives it the
 * color of the sidebar. */
export function ChatLayout({ children, isSunken = false }: { children: ReactNode; isSunken?: boolean }): ReactNode {
  return (
    <div className={isSunken ? `${css.chatPage} ${css.sunken}` : css.chatPage} data-fill>
      {children}
    </div>
  )
}

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
    <header className={before === undefined ? css.chatHeader : `${css.chatHeader} ${css.chatHeaderTwo}`}>
      <WindowTitle>{`${title} · ${within}`}</WindowTitle>
      <SidebarButton back={back} />
      <div className={css.chatHeaderTitle}>
        {icon}
        {before !== undefined && (
          <>
            <span className={css.chatHeaderBefore}>{before}</span>
            <span className={css.chatHeaderJoint} aria-hidden="true">
              ›
            </span>
          </>
        )}
        <Heading className={css.chatHeaderName}>{shownTitle}</Heading>
      </div>
      <div className={css.chatHeaderAbout}>{about}</div>
      {/* Each part is alone in its fragment, because two siblings with the same key would stay on other pages. */}
      <div className={css.chatHeaderActions}>
        <Fragment key="actions">{actions}</Fragment>
        {hasPeople && <PeopleButton />}
        <Fragment key="menu">{menu}</Fragment>
      </div>
    </header>
  )
}

/** A page to which a phone leads back. */
type BackLink = { to: string; label: string }

export const CHATS: BackLink = { to: '/chats', label: t('Back to chats') }

/** The header of a page that is loading or cannot be shown. */
export const EmptyHeader = (): ReactNode => (
  <div className={css.chatHeader}>
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

/** Leads phones from a page of the user or of the organization back to the page with the list of them. */
export const TO_YOU: BackLink = { to: '/you', label: t('Back to You') }

type Header = Omit<ComponentProps<typeof ChatHeader>, 'hasPeople' | 'menu'>

/** A page with the header that all pages share, and content that scrolls under it. */
export function PageFrame(props: Header & { isSunken?: boolean; children: ReactNode }): ReactNode {
  const { isSunken = false, children, ...header } = props
  return (
    <ChatLayout isSunken={isSunken}>
      <ChatHeader {...header} />
      <div className={css.page}>{children}</div>
    </ChatLayout>
  )
}

/** A page with a message in place of its content. */
export function EmptyPage(props: Omit<ComponentProps<typeof Empty>, 'isPage' | 'isDrawing'>): ReactNode {
  return (
    <ChatLayout>
      <EmptyHeader />
      <Empty {...props} isPage />
    </ChatLayout>
  )
}

export function NotFound(): ReactNode {
  return (
    <EmptyPage icon={<Compass />} title={t('Page not found')}>
      <p>{t('The address may be mistyped, or the page no longer exists.')}</p>
      <Link to="/" className="button button-primary">
        {t('Go to Inbox')}
      </Link>
    </EmptyPage>
  )
}
