import { Link, useParams } from '@tanstack/react-router'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import { type ReactNode, useState } from 'react'
import { useOrganizationPart } from '../../store/organization.ts'
import { shortcutList } from '../../store/page/shortcut-list.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { EmptyPage, PageFrame, TO_YOU } from '../page-frame.tsx'
import { HELP_PAGES } from './all-pages.ts'
import { findPages } from './find-pages.ts'
import './help.css'
import { HelpContent } from './help-content.tsx'
import { HELP_SECTIONS } from './sections.ts'

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
      <div className="help help-list">
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
  <div className="help-sections">
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
    <ul className="help-links">
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
      <article className="help">
        <div>
          <h1>{page.title}</h1>
          <p className="soft">{page.summary}</p>
        </div>
        <div className="help-body">
          <HelpContent nodes={page.body} />
        </div>
        {name === 'keyboard-shortcuts' && (
          <Button onPress={() => shortcutList.set(true)}>{t('Show keyboard shortcuts')}</Button>
        )}
      </article>
    </PageFrame>
  )
}
