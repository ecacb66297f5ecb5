import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, type ButtonProps } from '../../ui/button.tsx'

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
    <span className="bar-button">
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
