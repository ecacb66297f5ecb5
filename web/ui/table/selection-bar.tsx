import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import './selection-bar.css'
import { t } from '../../text/t.ts'

/** Actions for the selected rows of a table. They are shown above the table while any row is selected. */
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
