import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, type ButtonProps } from '../../ui/button.tsx'
import * as css from '../composer.module.css'

/** A button of the compose box with an icon; the tooltip has its name and keys. */
export function BarButton({
  label,
  keys,
  Icon,
  ...props
}: Omit<ButtonProps, 'icon' | 'children' | 'kind' | 'aria-label'> & {
  label: string
  keys?: string | undefined
  Icon: LucideIcon
}): ReactNode {
  return (
    <span className={css.barButton}>
      <Button
        {...props}
        kind="quiet"
        aria-label={label}
        data-keys={keys}
        icon={<Icon className="icon" aria-hidden="true" />}
      />
    </span>
  )
}
