import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import './show-more.css'
import { t } from '../../text/t.ts'

/** Tells how much of a list is shown, and asks for more of it; nothing when all is. */
export function ShowMore({ shown, all, onMore }: { shown: number; all: number; onMore: () => void }): ReactNode {
  if (shown >= all) return null
  return (
    <div className="show-more">
      <Button onPress={onMore}>{t('Show more ({shown} of {all})', { shown, all })}</Button>
    </div>
  )
}
