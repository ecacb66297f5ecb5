import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import './show-more.css'
import { t } from '../../text/t.ts'

/**
 * A button that shows more of a list. Its label has the number of entries shown so far. It disappears when all entries
 * are shown.
 */
export function ShowMore({ shown, all, onMore }: { shown: number; all: number; onMore: () => void }): ReactNode {
  if (shown >= all) return null
  return (
    <div className="show-more">
      <Button onPress={onMore}>{t('Show more ({shown, number} of {all, number})', { shown, all })}</Button>
    </div>
  )
}
