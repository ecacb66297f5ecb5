import { Link, useParams } from '@tanstack/react-router'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import { createElement, type ReactNode, useState } from 'react'
import { shortcutList } from '../browser/overlays.ts'
import type { HelpNode, HelpPage } from '../help-pages.ts'
import { EmptyPage, PageFrame, TO_YOU } from '../navigation/page.tsx'
import { useOrganizationPart } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Empty } from '../ui/page-states.tsx'
import * as css from './help.module.css'
import { findPages, HELP_SECTIONS } from './sections.ts'

const pageFiles = import.meta.glob<HelpPage>('./pages/*.md', { eager: true, import: 'default' })

/** All pages of the help, by name. */
export const HELP_PAGES: ReadonlyMap<string, HelpPage> = new Map(
  Object.entries(pageFiles).map(([path, page]) => [path.slice('./pages/'.length, -'.md'.length), page]),
)

const pictureFiles = import.meta.glob<string>('./pictures/*.webp', { eager: true, import: 'default', query: '?url' })

/** The size of all pictures in pixels, as `tools/help-pictures.ts` takes them. */
const SIZE = { width: 732, height: 366 }

/** A picture in the theme of the page. Nothing is shown if it cannot be loaded, for example without a connection. */
export function HelpPicture({ name, text }: { name: string; text: string }): ReactNode {
  const [isMissing, miss] = useState(false)
  if (isMissing) return null
  return ['light', 'dark'].map((shade) => (
    // Browsers do not load lazy pictures that are hidden.
    <img
      key={shade}
      className={css.helpPicture}
      data-shade={shade}
      src={pictureFiles[`./pictures/${name}-${shade}.webp`]}
      alt={text}
      loading="lazy"
      onError={() => miss(true)}
      {...SIZE}
    />
  ))
}

/** The text of a help page. Emphasized text is shown as keys of the keyboard. */
export const HelpContent = ({ nodes }: { nodes: readonly HelpNode[] }): ReactNode => nodes.map(toElement)

function toElement(node: HelpNode, key: number): ReactNode {
  if (typeof node === 'string') return node
  const { tag, href, src, children } = node
  if (src !== undefined) return <HelpPicture key={key} name={src} text={children.join('')} />
  const inside = children.map(toElement)
  if (tag === 'em') return <kbd key={key}>{inside}</kbd>
  if (href === undefined) return createElement(tag, { key }, ...inside)
  return (
    <Link key={key} to="/help/$page" params={{ page: href }}>
      {inside}
    </Link>
  )
}

const ICON = <CircleQuestionMark className="icon" aria-hidden="true" />

/** The list of all help pages, with a search. */
export function Help(): ReactNode {
  const organizationName = useOrganizationPart(({ realm_name }) => realm_name)
  const [typed, type] = useState('')
  const found = findPages(HELP_PAGES, typed)
  return (
    <PageFrame
      title={t('Help')}
      within={organizationName}
      icon={ICON}
      about={t('Short guides to common tasks.')}
      back={TO_YOU}
    >
      <div className={`${css.help} ${css.helpList}`}>
        <search>
          <TextField
            label={t('Search help')}
            type="search"
            autoComplete="off"
            autoFocus
            value={typed}
            onChange={type}
          />
        </search>
        {typed.trim() === '' ? (
          <Sections />
        ) : found.length === 0 ? (
          <Empty icon={<CircleQuestionMark />} title={t('No help page contains all of these words')}>
            <p>{t('Try fewer or different words.')}</p>
            <Button onPress={() => type('')}>{t('Show all pages')}</Button>
          </Empty>
        ) : (
          <PageLinks names={found} hasSummary />
        )}
        <p>
          <Link to="/settings/$section" params={{ section: 'about' }}>
            {t('About Parley')}
          </Link>
        </p>
      </div>
    </PageFrame>
  )
}

const Sections = (): ReactNode => (
  <div className={css.helpSections}>
    {HELP_SECTIONS.map(({ title, pages }) => (
      <section key={title}>
        <h2>{title}</h2>
        <PageLinks names={pages} />
      </section>
    ))}
  </div>
)

function PageLinks({ names, hasSummary = false }: { names: readonly string[]; hasSummary?: boolean }): ReactNode {
  return (
    <ul className={css.helpLinks}>
      {names.map((name) => (
        <li key={name}>
          <Link to="/help/$page" params={{ page: name }}>
            {HELP_PAGES.get(name)?.title}
          </Link>
          {hasSummary && <p className="soft">{HELP_PAGES.get(name)?.summary}</p>}
        </li>
      ))}
    </ul>
  )
}

export function HelpPageView(): ReactNode {
  const { page: name } = useParams({ from: '/help/$page' })
  const organizationName = useOrganizationPart(({ realm_name }) => realm_name)
  const page = HELP_PAGES.get(name)
  const all = (
    <Link to="/help" className="button">
      {t('All help pages')}
    </Link>
  )
  if (page === undefined)
    return (
      <EmptyPage icon={<CircleQuestionMark />} title={t('There is no help page at this address')}>
        {all}
      </EmptyPage>
    )
  return (
    <PageFrame
      title={page.title}
      shownTitle={t('Help')}
      within={organizationName}
      icon={ICON}
      about={page.title}
      actions={all}
      hasHeadingBelow
      back={{ to: '/help', label: t('All help pages') }}
    >
      <article className={css.help}>
        <div>
          <h1>{page.title}</h1>
          <p className="soft">{page.summary}</p>
        </div>
        <div className={css.helpBody}>
          <HelpContent nodes={page.body} />
        </div>
        {name === 'keyboard-shortcuts' && (
          <Button onPress={() => shortcutList.set(true)}>{t('Show keyboard shortcuts')}</Button>
        )}
      </article>
    </PageFrame>
  )
}
