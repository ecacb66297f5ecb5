import type { ComponentType, ReactNode, SVGProps } from 'react'
import { Button } from 'react-aria-components/Button'
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import './button.css'
import './icon-button.css'

/** A button that shows an icon; its label is a tooltip as well. */
export function IconButton(props: {
  label: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  /** For a button that switches something on and off. */
  isPressed?: boolean
  isPending?: boolean
  onPress: () => void
}): ReactNode {
  const { label, icon: Icon, isPressed, isPending = false, onPress } = props
  return (
    <TooltipTrigger delay={400} closeDelay={0}>
      <Button
        className="button button-quiet button-round icon-button"
        aria-label={label}
        {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
        isDisabled={isPending}
        onPress={onPress}
      >
        <Icon className="icon" aria-hidden="true" />
      </Button>
      <Tooltip className="tooltip" offset={4}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  )
}
