import History from 'lucide-react/icons/history'
import { type ReactNode, useState } from 'react'
import { HelpLink } from '../help/help-link.tsx'
import { useOrganization } from '../store/organization.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { clearRecentSearches, recentSearches } from './recent-searches.ts'
import { CHOICES, isChoiceOperator, OPERATOR_HINTS } from './resolve-search.ts'
import * as css from './search.module.css'
import { searchLabel } from './suggestions.tsx'

/** Examples of what can be typed, as a user would type them. */
const EXAMPLES = [
  { text: 'from:me has:link', hint: t('Links that you sent') },
  { text: 'is:mentioned after:7d', hint: t('Mentions from the last week') },
  { text: 'has:attachment', hint: t('Messages with files') },
  { text: 'is:dm is:unread', hint: t('Unread direct messages') },
]

/** The page before a search: the latest searches, and examples. */
export function SearchStart({ onSearch }: { onSearch: (text: string) => void }): ReactNode {
  const organization = useOrganization()
  const [recent, setRecent] = useState(recentSearches)
  return (
    <div className={css.searchStart}>
      {recent.length > 0 && (
        <section aria-labelledby="search-recent">
          <div className={css.searchStartHead}>
            <h2 id="search-recent">{t('Recent searches')}</h2>
            <Button
              kind="quiet"
              onPress={() => {
                clearRecentSearches()
                setRecent([])
              }}
            >
              {t('Clear')}
            </Button>
          </div>
          <ul>
            {recent.map((text) => (
              <li key={text}>
                <button type="button" className={css.searchStartRow} onClick={() => onSearch(text)}>
                  <History className="icon" aria-hidden="true" />
                  <span>{searchLabel(text, organization)}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="search-examples">
        <div className={css.searchStartHead}>
          <h2 id="search-examples">{t('Try a filter')}</h2>
        </div>
        <ul>
          {EXAMPLES.map(({ text, hint }) => (
            <li key={text}>
              <button type="button" className={css.searchStartRow} onClick={() => onSearch(text)}>
                <code>{text}</code>
                <span className="soft">{hint}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="search-all">
        <div className={css.searchStartHead}>
          <h2 id="search-all">{t('All filters')}</h2>
          <HelpLink page="search" about={t('Search messages')} />
        </div>
        <dl className={css.searchReference}>
          {OPERATOR_HINTS.map(({ operator, hint }) => (
            <div key={operator}>
              <dt>
                <code>{operator}:</code>
              </dt>
              <dd>
                {hint}
                {isChoiceOperator(operator) && (
                  <ul>
                    {CHOICES[operator].map(({ value, hint }) => (
                      <li key={value}>
                        <code>{`${operator}:${value}`}</code> {hint}
                      </li>
                    ))}
                  </ul>
                )}
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <p className="soft small">
        {rich(
          'A minus sign excludes matches, as in <code>-from:me</code>. <code>deploy*</code> finds all words that begin with “deploy”. Type > for all commands.',
          { code: (children) => <code className={css.searchStartTerm}>{children}</code> },
        )}
      </p>
    </div>
  )
}
