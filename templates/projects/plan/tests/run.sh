# Tests the functions: a line for each test, and the status 1 if one fails.
. ./functions.sh || exit 127

failed=0

# Calls a function, and compares what it prints: test_that 'half 10' 5
test_that() {
  got=$(eval "$1" 2>&1)
  if [ "$got" = "$2" ]; then
    echo "ok - $1"
  else
    echo "not ok - $1: expected $2, got $got"
    failed=1
  fi
}

test_that 'half 10' 5

exit $failed
