import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import '../../../ui/layout/chips.css'

/** Chooses the order of the results of a search for words. */
export function ResultOrder(props: { isByRelevance: boolean; onChange: (isByRelevance: boolean) => void }): ReactNode {
  const { isByRelevance, onChange } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page
    <div className="chips" role="group" aria-label={t('Order of results')}>
      <button type="button" className="chip" aria-pressed={!isByRelevance} onClick={() => onChange(false)}>
        {t('By date')}
      </button>
      <button type="button" className="chip" aria-pressed={isByRelevance} onClick={() => onChange(true)}>
        {t('Most relevant')}
      </button>
    </div>
  )
}
