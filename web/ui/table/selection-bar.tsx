import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import './selection-bar.css'
import { t } from '../../text/t.ts'

/** What can be done with the rows of a table that are selected; stands before the table, hidden while none is. */
export function SelectionBar(props: {
  label: string
  count: number
  onClear: () => void
  children: ReactNode
}): ReactNode {
  const { label, count, onClear, children } = props
  return (
    <section className="selection-bar" aria-label={label} hidden={count === 0}>
      <b role="status">{t('{count} selected', { count })}</b>
      {children}
      <Button kind="quiet" onPress={onClear}>
        {t('Clear selection')}
      </Button>
    </section>
  )
}
