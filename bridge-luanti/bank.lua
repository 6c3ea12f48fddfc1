-- The account `bank`. Its balances stand in the journal file, in the same record as the outcome of each command.
-- `journal` is nil where its file must not or cannot be opened.
local causeway, journal, currency = ...

local ACCOUNT = 'bank'

local bank = {}

--- The accounts that money commands may use.
function bank.names()
	return currency and { ACCOUNT, currency.account } or { ACCOUNT }
end

--- The balance of a player in the bank; a player without an account holds 0. Nil while the bank is closed.
function bank.balance(name)
	return journal and journal:balance(name, ACCOUNT)
end

--- The names of the players who were ever paid.
function bank.holders()
	return journal and journal.holders() or {}
end

--- All balances of a player; `player` is nil when they are away, and their notes are then as they were.
function bank.of(name, player)
	local balances = { [ACCOUNT] = bank.balance(name) }
	if currency and player then balances[currency.account] = currency.balance(player) end
	return balances
end

--- The handler of the command `money`.
function bank.handler(is_known)
	local handlers = { [ACCOUNT] = causeway.ledger_money(journal, { account = ACCOUNT, exists = is_known }) }
	if currency then handlers[currency.account] = currency.handler(is_known) end
	return function(params, context)
		return handlers[params.type](params, context)
	end
end

return bank
