"""Repeats what it is told, and says how often it has; the server keeps the number.

For `zulip-run-bot`.
"""


class TallyHandler:
    def usage(self):
        return "Repeats what it is told, and counts."

    def handle_message(self, message, bot_handler):
        try:
            count = bot_handler.storage.get("count") + 1
        except KeyError:
            count = 1
        bot_handler.storage.put("count", count)
        bot_handler.send_reply(message, f"{message['content']} ({count})")


handler_class = TallyHandler
