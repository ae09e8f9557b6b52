// What each part of the migration must show: `node check.mjs schema | application | data`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { strict as assert } from "node:assert";

const COUNT = 3;
const CENTS = 9975;
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const cents = (orders) => orders.reduce((sum, order) => sum + order.cents, 0);

const parts = {
  schema() {
    const { schema, orders } = read("orders.json");
    assert.equal(schema, 2, "orders.json has the old schema");
    assert.equal(orders.length, COUNT);
    for (const order of orders) {
      assert.deepEqual(Object.keys(order), ["id", "first_name", "last_name", "cents"]);
    }
  },
  application() {
    const printed = execFileSync(process.execPath, ["report.mjs"], { encoding: "utf8" }).trim();
    assert.equal(printed, String(CENTS), "report.mjs does not understand the new schema");
  },
  data() {
    const { orders } = read("orders.json");
    assert.equal(cents(orders), CENTS);
    assert.deepEqual(read("validated.json"), { orders: COUNT, cents: CENTS, lost: 0 });
  },
};

parts[process.argv[2]]();
