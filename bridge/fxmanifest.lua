fx_version 'cerulean'
games { 'gta5', 'rdr3' }
rdr3_warning 'I acknowledge that this is a prerelease build of RedM, and I am aware my resources *will* become incompatible once RedM ships.'

name 'causeway'
version '1.0.0'
description 'Connects this server to a Causeway hub: players, confirmed kicks and money commands.'
license 'MIT'

server_only 'yes'
node_version '22'
dependencies { '/server:12913' }

server_scripts {
    'lua/core.lua',
    'lua/guard.lua',
    'lua/starts.lua',
    'lua/database.lua',
    'lua/roster.lua',
    'lua/joining.lua',
    'lua/marks.lua',
    'lua/pay.lua',
    'lua/book.lua',
    'lua/save.lua',
    'lua/confirm.lua',
    'lua/resolve.lua',
    'lua/job.lua',
    'lua/offline.lua',
    'lua/inventory.lua',
    'lua/items.lua',
    'lua/item-store.lua',
    'lua/ox-items.lua',
    'lua/vehicles.lua',
    'lua/plates.lua',
    'lua/vehicle-properties.lua',
    'lua/vehicle-table.lua',
    'lua/vehicle-answers.lua',
    'lua/taken.lua',
    'lua/garage-give.lua',
    'lua/garage.lua',
    'lua/esx-garage.lua',
    'lua/qb-garage.lua',
    'lua/ox-garage.lua',
    'lua/tables.lua',
    'lua/records.lua',
    'lua/catalogues.lua',
    'lua/actions.lua',
    'lua/qb-book.lua',
    'lua/qb-items.lua',
    'lua/qb-inventory.lua',
    'lua/qb-item-orders.lua',
    'lua/qb-shared.lua',
    'lua/qb-jobs.lua',
    'lua/qb-care.lua',
    'lua/qb.lua',
    'lua/qbox-jobs.lua',
    'lua/qbox.lua',
    'lua/qbcore.lua',
    'lua/esx-ghosts.lua',
    'lua/esx-money.lua',
    'lua/esx-items.lua',
    'lua/esx-jobs.lua',
    'lua/esx.lua',
    'lua/ox-ledger.lua',
    'lua/ox-core-items.lua',
    'lua/ox-jobs.lua',
    'lua/ox_core.lua',
    'lua/vorp-jobs.lua',
    'lua/vorp.lua',
    'lua/rsg.lua',
    'lua/standalone.lua',
    'lua/main.lua',
    'dist/server.js',
}
