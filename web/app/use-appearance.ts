import { useEffect } from 'react'
import { applyDensity, applyMessageWidth, applyPeopleStyle, useLayout } from '../store/browser/layout.ts'
import { applyTextSize } from '../store/browser/text-size.ts'
import { applyContrast, applyTheme } from '../store/browser/theme.ts'
import { useOrganizationPart } from '../store/organization.ts'
import { animationPolicy } from '../ui/message-html/animation-policy.ts'
import { applyEmojiStyle } from '../ui/message-html/emoji-style.ts'
import { setHourCycle } from '../ui/time/clock.ts'

/** Applies the user's appearance settings, including changes on other devices. */
export function useAppearance(): void {
  const settings = useOrganizationPart(({ user_settings }) => user_settings)
  const { isCompact } = useLayout()
  const {
    color_scheme: theme,
    high_contrast_mode: isHigh,
    web_font_size_px: size,
    web_line_height_percent: lines,
    twenty_four_hour_time: is24Hours,
    fluid_layout_width: isFull,
    user_list_style: people,
    web_animate_image_previews: animation,
    emojiset: emoji,
  } = settings
  useEffect(() => applyTheme(theme), [theme])
  useEffect(() => applyContrast(isHigh), [isHigh])
  useEffect(() => applyDensity(isCompact), [isCompact])
  useEffect(() => applyTextSize(size, lines), [size, lines])
  useEffect(() => setHourCycle(is24Hours), [is24Hours])
  useEffect(() => applyMessageWidth(isFull), [isFull])
  useEffect(() => applyPeopleStyle(people), [people])
  useEffect(() => animationPolicy.set(animation), [animation])
  useEffect(() => applyEmojiStyle(emoji), [emoji])
}
